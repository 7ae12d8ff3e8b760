import { createHash, createHmac } from 'node:crypto'
import { createOutboundClient, withLoopback } from '#lib/http.ts'
import { createSeal } from '#lib/seal.ts'
import type { DatabasePool } from '#sql/db.ts'
import { sealPurpose } from '#sql/sms/providers.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import type { SmsGateway } from '#tasks/sms/engine.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { createGateway } from '../../workers/sms/gateway.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { type ProviderServer, providerServer } from './provider-server.ts'

export const signingSecret = 's'.repeat(32)

export const accountSid = `AC${'1'.repeat(32)}`
export const authToken = 'auth-token-of-the-tests'

/** The sms area: database, ingress, one organisation with a Twilio connection, workers, and a provider's test server. */
export interface SmsStack {
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  orgId: string
  key: string
  testKey: string
  server: ProviderServer
  providerId: string
  ask(request: string, options?: Ask): Promise<Reply>
  connect(more: object): Promise<Reply>
  say(to: string, text?: string, more?: object): Promise<Reply>
  read(id: string): Promise<Reply>
  startWorkers(gateway?: SmsGateway): Promise<void>
  /** Sends a callback with Twilio's signature by default. */
  callback(path: string, form: Record<string, string>, signature?: string): Promise<Reply>
  /** Reports a status as Twilio. */
  tell(id: string, sid: string, status: string, code?: string): Promise<Reply>
  /** Sends a message as a person. */
  hear(from: string, text: string, more?: { sid?: string; to?: string }): Promise<Reply>
}

export const sender = '+3725550100'

export const gatewayFor = (t: TestScope, url: string, timeoutMs = 2_000): SmsGateway => {
  const client = () => createOutboundClient({ ...withLoopback })
  const gateway = createGateway({
    known: client(),
    outbound: client(),
    local: undefined,
    twilio: url,
    vonage: url,
    timeoutMs,
  })
  t.teardown(() => gateway.close())
  return gateway
}

export function signTwilioRequest(url: string, form: Record<string, string>, token = authToken): string {
  const content = Object.keys(form)
    .sort()
    .reduce((text, name) => text + name + form[name], url)
  return createHmac('sha1', token).update(content).digest('base64')
}

/** Returns the token with which Vonage signs a body. */
export function vonageToken(body: string, secret: string, { iat = Date.now() / 1_000 } = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { iat: Math.floor(iat), jti: 'x', iss: 'Vonage', payload_hash: sha256(body) }
  const content = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `Bearer ${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

let heard = 0

export async function smsStack(t: TestScope): Promise<SmsStack> {
  const { url: databaseUrl, db } = await testDatabase(t)
  const server = await providerServer(t)
  const ingress = await testIngress(t, db, [], {
    only: ['sms', 'account'],
    services: [provide(services.signingSecret, signingSecret)],
  })
  const { org, keys } = await testOrg(db, [], {
    keys: {
      main: { prefix: 'bt_live_', scopes: ['sms:send', 'sms:manage', 'account:read', 'account:write'] },
      test: { prefix: 'bt_test_', scopes: ['sms:send', 'sms:read'] },
    },
  })
  const ask: SmsStack['ask'] = (request, options) => ingress.ask(request, { key: keys.main, ...options })
  const connect: SmsStack['connect'] = (more) => ask('POST /v1/sms/providers', { body: { name: 'Provider', ...more } })
  const twilio = { account_sid: accountSid, auth_token: authToken }
  const made = await connect({ kind: 'twilio', from: sender, per_second: 1_000, twilio })
  const providerId = made.body.id as string
  const callback: SmsStack['callback'] = (path, form, signature) => {
    const url = ingress.url + path
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-twilio-signature': signature ?? signTwilioRequest(url, form),
    }
    return ingress.ask(`POST ${path}`, { raw: new URLSearchParams(form).toString(), headers })
  }
  return {
    ...{ db, databaseUrl, ingress, orgId: org.id, server, providerId, ask, connect, callback },
    key: keys.main,
    testKey: keys.test,
    say: (to, text = 'Hello', more = {}) => ask('POST /v1/sms/messages', { body: { to, text, ...more } }),
    read: (id) => ask(`GET /v1/sms/messages/${id}`),
    async startWorkers(gateway = gatewayFor(t, server.url)) {
      const plan: PoolPlan<'sms'> = {
        pool: 'sms',
        settings: { concurrency: 8, fetchAhead: 0 },
        tasks: getTasksOfPool('sms'),
        tools: { sms: gateway, seal: createSeal(signingSecret, sealPurpose) },
      }
      const settings = { lease: 60_000, sweep: 500, grace: 1_000 }
      const fleet = await startFleet(databaseUrl, [plan as PoolPlan], settings, (why) => t.fail(why))
      t.teardown(() => fleet.stop())
    },
    tell: (id, sid, status, code) =>
      callback(`/v1/sms/callbacks/${providerId}/status?message=${id}`, {
        MessageSid: sid,
        MessageStatus: status,
        ...(code !== undefined && { ErrorCode: code }),
      }),
    hear: (from, text, { sid = `SM-in-${++heard}`, to = sender } = {}) =>
      callback(`/v1/sms/callbacks/${providerId}/inbound`, { MessageSid: sid, From: from, To: to, Body: text }),
  }
}
