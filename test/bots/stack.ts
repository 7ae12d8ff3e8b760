import type { DatabasePool } from '#sql/db.ts'
import type { LanguageEngine } from '#tasks/ai/engine.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'
import { signingSecret } from '../support/signing-secret.ts'
import { llmPlan, type ScriptedEngine, scriptedEngine } from './engine.ts'

/** The bots area with a database, an ingress, an organisation with bots, and a second organisation. */
export interface BotsStack {
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  engine: ScriptedEngine
  key: string
  orgId: string
  /** Sends a request as the owner, or with the given key. */
  ask(request: string, options?: Ask): Promise<Reply>
  /** Sends a request as the second organisation. */
  askElse(request: string, options?: Ask): Promise<Reply>
  /** Creates a bot and returns its ID. */
  bot(facts?: Record<string, unknown>): Promise<string>
  say(botId: string, message: string, facts?: Record<string, unknown>, options?: Ask): Promise<Reply>
  startWorkers(): Promise<void>
}

/** Creates the area. Its workers use a scripted engine by default. */
export async function botsStack(
  t: TestScope,
  own?: LanguageEngine,
  areas: readonly string[] = [],
  scopes: readonly string[] = ['bots:write'],
): Promise<BotsStack> {
  const { url: databaseUrl, db } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], {
    services: [provide(services.signingSecret, signingSecret)],
    only: ['bots', ...areas],
  })
  const [owner, other] = await Promise.all([testOrg(db, [...scopes]), testOrg(db, [...scopes])])
  const engine = scriptedEngine()
  const ask: BotsStack['ask'] = (request, options) => ingress.ask(request, { key: owner.keys.main, ...options })
  return {
    db,
    databaseUrl,
    ingress,
    engine,
    key: owner.keys.main,
    orgId: owner.org.id,
    ask,
    askElse: (request, options) => ask(request, { key: other.keys.main, ...options }),
    async bot(facts = {}) {
      const reply = await ask('POST /v1/bots', { body: { name: 'Help', system_prompt: 'Be kind.', ...facts } })
      if (reply.status !== 200) throw new Error(reply.text)
      return reply.body.id
    },
    say: (botId, message, facts = {}, options = {}) =>
      ask(`POST /v1/bots/${botId}/chat`, { body: { message, ...facts }, ...options }),
    async startWorkers() {
      const settings = { lease: 60_000, sweep: 500, grace: 1_000 }
      const fleet = await startFleet(databaseUrl, [llmPlan(own ?? engine) as PoolPlan], settings, (why) => t.fail(why))
      t.teardown(() => fleet.stop())
    },
  }
}
