import '../support/verify-environment.ts'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import * as keyRows from '#sql/account/keys.ts'
import { sql } from '#sql/db.ts'
import * as guardTokens from '#sql/guard/tokens.ts'
import { sealPurpose as smsPurpose } from '#sql/sms/providers.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { sealSecret } from '#tasks/whatsapp/rules/own-number.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { providerServer } from '../sms/provider-server.ts'
import { accountSid, authToken, gatewayFor, sender, signingSecret, signTwilioRequest } from '../sms/stack.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { accessToken, cloudApiServer } from '../whatsapp/cloud-api-server.ts'
import { clientOf, toolsOf } from '../whatsapp/stack.ts'

export const scopes = [
  ...['verify:write', 'sms:send', 'sms:manage', 'whatsapp:manage', 'whatsapp:send', 'voice:read', 'guard:manage'],
  ...['account:read', 'account:write', 'account:logs'],
]

let lines = 0

/** Returns the number of another telephone, each in a range of its own unless `range` is given. */
export const phoneNumber = (range?: string): string => {
  const line = String(lines++).padStart(4, '0')
  return range === undefined ? `+3725${String(1000 + lines).slice(-3)}${line}` : range + line
}

/** The verify area with text messages and WhatsApp: workers in this process, and the servers of the providers. */
export async function phoneStack(t: TestScope, areas: readonly string[] = []) {
  const { url: databaseUrl, db } = await testDatabase(t)
  const [provider, cloudApi] = [await providerServer(t), await cloudApiServer(t)]
  const ingress = await testIngress(t, db, [], {
    only: ['verify', 'sms', 'account', 'whatsapp', 'voice', 'guard', ...areas],
    services: [provide(services.signingSecret, signingSecret)],
  })

  /** Another organisation with a live key, a test key, and an SMS connection. */
  async function customer() {
    const { org } = await testOrg(db)
    const create = (prefix: 'bt_live_' | 'bt_test_', locks?: keyRows.Locks) =>
      keyRows.create(db, { orgId: org.id, prefix, name: prefix, scopes, locks })
    const [live, test] = [await create('bt_live_'), await create('bt_test_')]
    const ask = (request: string, options: Ask = {}) => ingress.ask(request, { key: live.secret, ...options })
    const twilio = { account_sid: accountSid, auth_token: authToken }
    const connection = await ask('POST /v1/sms/providers', {
      body: { name: 'Twilio', kind: 'twilio', from: sender, per_second: 1_000, twilio },
    })
    if (connection.status !== 201) throw new Error(connection.text)
    await db.query(sql.typeAlias('void')`insert into webhooks.settings (org_id, keep_events) values (${org.id}, true)`)
    const set = async (body: object) => {
      const reply = await ask('PUT /v1/verify/settings', { body })
      if (reply.status !== 200) throw new Error(reply.text)
    }
    await set({ countries: ['EE'], prefix_starts: 1_000, per_recipient: 100 })
    const start = (to: string, more: object = {}, options: Ask = {}): Promise<Reply> =>
      ask('POST /v1/verify/start', { body: { channel: 'sms', to, ...more }, ...options })
    return {
      orgId: org.id,
      key: live.secret,
      keyId: live.id,
      testKey: test.secret,
      providerId: connection.body.id as string,
      ask,
      set,
      start,
      lockedKey: async (locks: keyRows.Locks) => (await create('bt_live_', locks)).secret,
      /** Starts a verification; returns its ID and the code on the telephone. */
      async begin(to = phoneNumber(), more: object = {}) {
        const { status, body, text } = await start(to, more)
        if (status !== 200) throw new Error(text)
        return { id: body.id as string, to, code: await codeTo(to) }
      },
      check: (body: object, options: Ask = {}) => ask('POST /v1/verify/check', { body, ...options }),
      read: async (id: string) => (await ask(`GET /v1/verify/${id}`)).body,
      async connectWhatsapp() {
        const seal = createSeal(signingSecret, numbers.sealPurpose)
        const id = newId()
        const close = (name: keyof numbers.Secrets, text: string) => sealSecret(seal, id, name, text)
        const secrets = {
          access_token: close('access_token', accessToken),
          app_secret: close('app_secret', 'a'),
          verify_token: close('verify_token', 'v'),
        }
        await numbers.insert(db, {
          id,
          org_id: org.id,
          phone_number_id: '106540352242922',
          account_id: '2',
          ...secrets,
        })
        await numbers.connect(db, id, { displayPhone: null, verifiedName: null })
        await set({ whatsapp_template: { name: 'login_code', language: 'en' } })
      },
      /** A fresh token of a Guard form. */
      async guardToken(action = 'verify') {
        const body = { name: 'Shop', origins: ['https://shop.example.com'] }
        const site = (await ask('POST /v1/guard/sites', { body })).body.id as string
        const facts = { challenge_id: null, tier: 'normal' as const, hostname: null, solve_ms: 640 }
        const [made] = await guardTokens.createMany(db, [{ org_id: org.id, site_id: site, action, ...facts }])
        return { token: made?.token as string, site }
      },
      /** Reports the status of the last message to a number as the provider. */
      async report(to: string, status: string, code?: string) {
        const request = provider.received.findLast(({ form }) => form.get('To') === to)
        const callback = new URL(request?.form.get('StatusCallback') ?? '')
        const number = provider.received.indexOf(request as never) + 1
        const form = {
          MessageSid: `SM${String(number).padStart(32, '0')}`,
          MessageStatus: status,
          ...(code !== undefined && { ErrorCode: code }),
        }
        const headers = {
          'content-type': 'application/x-www-form-urlencoded',
          'x-twilio-signature': signTwilioRequest(callback.href, form),
        }
        return await ingress.ask(`POST ${callback.pathname}${callback.search}`, {
          raw: new URLSearchParams(form).toString(),
          headers,
        })
      },
    }
  }

  const textsTo = (to: string) =>
    provider.received.flatMap(({ form }) => (form.get('To') === to ? [form.get('Body') ?? ''] : []))

  /** Returns the code on a telephone, once it has so many messages. */
  async function codeTo(to: string, count = 1): Promise<string> {
    await until(() => textsTo(to).length >= count, { timeout: 30_000, what: `${count} text messages to ${to}` })
    return /\d{4,10}/.exec(textsTo(to).at(-1) ?? '')?.[0] ?? ''
  }

  async function startWorkers() {
    const plan = (pool: 'core' | 'sms' | 'whatsapp', tools: object) => ({
      pool,
      settings: { concurrency: 8, fetchAhead: 0 },
      tasks: getTasksOfPool(pool),
      tools,
    })
    const fleet = await startFleet(
      databaseUrl,
      [
        plan('core', { storage: undefined, certificates: { lacks: 'none' }, giveUp: async () => {} }),
        plan('sms', { sms: gatewayFor(t, provider.url), seal: createSeal(signingSecret, smsPurpose) }),
        plan('whatsapp', toolsOf(clientOf(t, cloudApi.url))),
      ] as unknown as PoolPlan[],
      { lease: 60_000, sweep: 500, grace: 1_000 },
      (why) => t.fail(why),
    )
    t.teardown(() => fleet.stop())
  }

  return {
    db,
    databaseUrl,
    ingress,
    provider,
    cloudApi,
    customer,
    textsTo,
    codeTo,
    startWorkers,
    events: (id: string) =>
      db.anyFirst(sql.type(z.object({ type: z.string() }))`
        select type from webhooks.events where data ->> 'id' = ${id} and type like 'verify.%' order by id`),
  }
}

/** Returns another code of the same length. */
export const wrongCode = (code: string, by = 1): string =>
  String((Number(code) + by) % 10 ** code.length).padStart(code.length, '0')
