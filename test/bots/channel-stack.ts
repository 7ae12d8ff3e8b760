import type { DatabasePool } from '#sql/db.ts'
import { hear } from '#tasks/bots/hear.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { settings } from '../../ingress/whatsapp/settings.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { accountId, type CloudApiServer, cloudApiServer, phoneNumberId } from '../whatsapp/cloud-api-server.ts'
import { type OwnNumber, ownNumber } from '../whatsapp/own-number.ts'
import { appSecret, clientOf, signingSecret, toolsOf, verifyToken } from '../whatsapp/stack.ts'
import { llmPlan, type ScriptedEngine, scriptedEngine } from './engine.ts'

/** Scopes with which a key can connect channels of both kinds. */
export const channelScopes = [
  ...['bots:write', 'whatsapp:send', 'whatsapp:manage', 'email:send', 'email:manage', 'email:content'],
  ...['account:write'],
]

/** Bots and WhatsApp with a database, an ingress, a test server of the Cloud API and workers. */
export interface ChannelStack {
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  api: CloudApiServer
  engine: ScriptedEngine
  /** Starts workers of these pools. Default: all. */
  startWorkers(...pools: ('whatsapp' | 'core' | 'llm')[]): Promise<void>
  /** An organisation with a number, a bot and a channel between them. */
  connected(facts?: { bot?: object; channel?: object }): Promise<Connected>
}

export interface Connected {
  number: OwnNumber
  bot: string
  channel: string
  ask(request: string, options?: Ask): Promise<Reply>
  /** Sends a request that succeeds, and returns its response. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field.
  done(request: string, body?: object): Promise<any>
  /** Sends messages as Meta does. */
  hear(...messages: Heard[]): Promise<Reply>
  /** Returns the messages with a contact, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field.
  said(contact: string): Promise<any[]>
  /** Waits until there are `count` messages with a contact, and none is pending or queued. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into every field.
  settled(contact: string, count: number): Promise<any[]>
  /** Texts that the Cloud API received for a contact. */
  sentTo(contact: string): string[]
}

export interface Heard {
  from: string
  body?: string
  id?: string
  /** Seconds before now. */
  ago?: number
  type?: string
  content?: object
}

let heardCount = 0

const toMessage = ({
  from,
  body = 'Hello',
  id = `wamid.in${++heardCount}`,
  ago = 0,
  type = 'text',
  content,
}: Heard) => ({
  from: from.slice(1),
  id,
  timestamp: String(Math.floor(Date.now() / 1000) - ago),
  type,
  [type]: content ?? { body },
})

let phones = 5_710_000

/** Returns a phone number that no other test uses. */
export const stranger = (): string => `+372${phones++}`

export async function channelStack(t: TestScope, areas: readonly string[] = []): Promise<ChannelStack> {
  const { url: databaseUrl, db } = await testDatabase(t)
  const api = await cloudApiServer(t)
  const ingress = await testIngress(t, db, [], {
    only: ['bots', 'whatsapp', ...areas],
    services: [
      provide(services.signingSecret, signingSecret),
      provide(settings, { phoneNumberId, accountId, appSecret, verifyToken, waitMs: 8_000 }),
    ],
  })
  const engine = scriptedEngine()
  return {
    db,
    databaseUrl,
    ingress,
    api,
    engine,
    async startWorkers(...pools) {
      const whatsapp: PoolPlan<'whatsapp'> = {
        pool: 'whatsapp',
        settings: { concurrency: 8, fetchAhead: 0 },
        tasks: getTasksOfPool('whatsapp'),
        tools: toolsOf(clientOf(t, api.url)),
      }
      const core: PoolPlan<'core'> = {
        pool: 'core',
        settings: { concurrency: 4, fetchAhead: 0 },
        tasks: [hear],
        tools: { storage: undefined as never, certificates: { lacks: 'tests' }, giveUp: async () => {} },
      }
      const all = [whatsapp as PoolPlan, core as PoolPlan, llmPlan(engine) as PoolPlan]
      const plans = all.filter(({ pool }) => pools.length === 0 || (pools as string[]).includes(pool))
      const fleet = await startFleet(databaseUrl, plans, { lease: 60_000, sweep: 500, grace: 1_000 }, (why) =>
        t.fail(why),
      )
      t.teardown(() => fleet.stop())
    },
    async connected({ bot: botFacts = {}, channel: channelFacts = {} } = {}) {
      const number = await ownNumber({ api, db, ingress }, channelScopes)
      const { ask } = number
      const done: Connected['done'] = async (request, body = {}) => {
        const reply = await ask(request, request.startsWith('GET') ? {} : { body })
        if (reply.status !== 200) throw new Error(`${request}: ${reply.text}`)
        return reply.body
      }
      const given = { name: 'Help', system_prompt: 'Be kind.', fallback: 'No idea.', handover: true, ...botFacts }
      const { id: bot } = await done('POST /v1/bots', given)
      const { id: channel } = await done(`POST /v1/bots/${bot}/channels`, {
        ...{ kind: 'whatsapp', number_id: number.id, ...channelFacts },
      })
      const said: Connected['said'] = async (contact) => {
        const { data } = await done(`GET /v1/bots/${bot}/messages?order=asc&limit=100`)
        const { data: passed } = await done(`GET /v1/bots/${bot}/channels/${channel}/messages?limit=100`)
        const ids = new Set(
          passed.flatMap((one: { contact: string; message_id: string }) =>
            one.contact === contact ? [one.message_id] : [],
          ),
        )
        const of = new Set(
          data.flatMap((one: { id: string; conversation_id: string }) =>
            ids.has(one.id) ? [one.conversation_id] : [],
          ),
        )
        return data.filter((one: { conversation_id: string }) => of.has(one.conversation_id))
      }
      return {
        ...{ number, bot, channel, ask, done, said },
        hear: (...messages) => number.webhook({ contacts: [], messages: messages.map(toMessage) }),
        settled: (contact, count) =>
          until(
            async () => {
              const all = await said(contact)
              const isOpen = all.some(({ status, delivery }) => status === 'pending' || delivery?.status === 'queued')
              return all.length >= count && !isOpen && all
            },
            { timeout: 60_000, what: `${count} messages with ${contact} are settled` },
          ),
        sentTo: (contact) =>
          api
            .sent()
            .filter(({ body }) => body.to === contact.slice(1))
            .map(({ body }) => body.text.body),
      }
    },
  }
}
