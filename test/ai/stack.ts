import type { DatabasePool } from '#sql/db.ts'
import type { LanguageEngine } from '#tasks/ai/engine.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { provide } from '../../ingress/http/container.ts'
import { signingSecret } from '../../ingress/http/services.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { actionClient } from '../support/action-client.ts'
import { testDatabase } from '../support/database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from '../support/ingress.ts'

/** The ai area: database, ingress, one organisation, and a worker of the pool `llm` with the given engine. */
export interface AiStack {
  db: DatabasePool
  ingress: TestIngress
  orgId: string
  key: string
  ask(request: string, options?: Ask): Promise<Reply>
}

export async function aiStack(t: TestScope, llm: LanguageEngine, areas: readonly string[] = []): Promise<AiStack> {
  const { url, db } = await testDatabase(t)
  const ingress = await testIngress(t, db, [], {
    only: ['ai', ...areas],
    services: [provide(signingSecret, 's'.repeat(32))],
  })
  const { org, keys } = await testOrg(db, ['ai:invoke', 'ai:write', 'operator'])
  const plan = {
    pool: 'llm' as const,
    settings: { concurrency: 4, fetchAhead: 0 },
    tasks: getTasksOfPool('llm'),
    tools: { llm, actions: actionClient() },
  }
  const fleet = await startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 2_000 }, (why) => {
    throw new Error(why)
  })
  t.teardown(async () => {
    await fleet.stop()
    await llm.close()
  })
  return {
    db,
    ingress,
    orgId: org.id,
    key: keys.main,
    ask: (request, options) => ingress.ask(request, { key: keys.main, ...options }),
  }
}
