import { createHmac } from 'node:crypto'
import { createSeal } from '#lib/seal.ts'
import { createSlots } from '#lib/slots.ts'
import type { DatabasePool } from '#sql/db.ts'
import { sealPurpose } from '#sql/whatsapp/business-numbers.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import type { CloudApi } from '#tasks/whatsapp/engine.ts'
import type { WhatsappTools } from '#tasks/whatsapp/pools.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { settings } from '../../ingress/whatsapp/settings.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { createCloudApi } from '../../workers/whatsapp/cloud-api.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { accessToken, accountId, type CloudApiServer, cloudApiServer, phoneNumberId } from './cloud-api-server.ts'

export const appSecret = 'app-secret-of-the-tests-alone'
export const verifyToken = 'verify token of the tests alone'

/** The whatsapp area: database, ingress, one organisation, workers, and a test server of the Cloud API. */
export interface WhatsappStack {
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  orgId: string
  key: string
  api: CloudApiServer
  ask(request: string, options?: Ask): Promise<Reply>
  /** Sends a text to a phone number. */
  say(to: string, body?: string, more?: Record<string, unknown>): Promise<Reply>
  read(id: string): Promise<Reply>
  startWorkers(api?: CloudApi): Promise<void>
  /** Sends a webhook, with Meta's signature by default. */
  webhook(value: unknown, signature?: string): Promise<Reply>
  /** Sends a message as a person, `ago` seconds ago. */
  hear(from: string, more?: { id?: string; body?: string; ago?: number; quoted?: string }): Promise<Reply>
  /** Reports the status of a message as Meta. */
  tell(wamid: string, status: string, more?: { ref?: string; ago?: number; code?: number }): Promise<Reply>
}

const now = () => Math.floor(Date.now() / 1000)

/** Returns a webhook body with changes of a business number. */
export const change = (value: object, field = 'messages') => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: accountId,
      changes: [
        {
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550783881', phone_number_id: phoneNumberId },
            ...value,
          },
          field,
        },
      ],
    },
  ],
})

/** Returns a worker's client for the Cloud API test server. */
export const clientOf = (t: TestScope, server: string, timeoutMs = 2_000): CloudApi => {
  const client = createCloudApi({ server, version: 'v23.0', phoneNumberId, accountId, accessToken, timeoutMs })
  t.teardown(() => client.close())
  return client
}

/** Encryption secret of the stack. */
export const signingSecret = 's'.repeat(32)

/** Tools of workers for messages without files. */
export const toolsOf = (client: CloudApi): WhatsappTools => ({
  whatsapp: client,
  seal: createSeal(signingSecret, sealPurpose),
  storage: undefined as never,
  scratch: {
    async attempt() {
      throw new Error('no file is expected')
    },
  },
  fileSlot: createSlots(2).tryTake,
})

export async function whatsappStack(t: TestScope, numbers = { phoneNumberId, accountId }): Promise<WhatsappStack> {
  const { url: databaseUrl, db } = await testDatabase(t)
  const api = await cloudApiServer(t)
  const ingress = await testIngress(t, db, [], {
    only: ['whatsapp'],
    services: [
      provide(services.signingSecret, signingSecret),
      provide(settings, { ...numbers, appSecret, verifyToken, waitMs: 8_000 }),
    ],
  })
  const { org, keys } = await testOrg(db, ['whatsapp:send', 'whatsapp:manage'])
  const ask: WhatsappStack['ask'] = (request, options) => ingress.ask(request, { key: keys.main, ...options })
  const webhook: WhatsappStack['webhook'] = (body, signature) => {
    const raw = JSON.stringify(body)
    const mac = createHmac('sha256', appSecret).update(raw).digest('hex')
    const headers = { 'x-hub-signature-256': signature ?? `sha256=${mac}`, 'content-type': 'application/json' }
    return ingress.ask('POST /v1/whatsapp/webhook', { raw, headers })
  }
  return {
    db,
    databaseUrl,
    ingress,
    orgId: org.id,
    key: keys.main,
    api,
    ask,
    webhook,
    say: (to, body = 'Hello', more = {}) => ask('POST /v1/whatsapp/send', { body: { to, text: { body }, ...more } }),
    read: (id) => ask(`GET /v1/whatsapp/messages/${id}`),
    async startWorkers(client = clientOf(t, api.url)) {
      const plan: PoolPlan<'whatsapp'> = {
        pool: 'whatsapp',
        settings: { concurrency: 8, fetchAhead: 0 },
        tasks: getTasksOfPool('whatsapp'),
        tools: toolsOf(client),
      }
      const settings = { lease: 60_000, sweep: 500, grace: 1_000 }
      const fleet = await startFleet(databaseUrl, [plan as PoolPlan], settings, (why) => t.fail(why))
      t.teardown(() => fleet.stop())
    },
    hear(from, { id = `wamid.${from}.${now()}`, body = 'Hi', ago = 0, quoted } = {}) {
      const contacts = [{ profile: { name: 'Ann' }, wa_id: from.slice(1) }]
      const context = quoted && { context: { from: '15550783881', id: quoted } }
      const one = { from: from.slice(1), id, timestamp: String(now() - ago), type: 'text', text: { body }, ...context }
      return webhook(change({ contacts, messages: [one] }))
    },
    tell(wamid, status, { ref, ago = 0, code } = {}) {
      const errors = code && {
        errors: [{ code, title: 'secret words', message: 'secret words', error_data: { details: 'secret words' } }],
      }
      const one = {
        id: wamid,
        status,
        timestamp: String(now() - ago),
        recipient_id: '3725550101',
        ...(ref && { biz_opaque_callback_data: ref }),
        ...errors,
      }
      return webhook(change({ statuses: [one] }))
    },
  }
}
