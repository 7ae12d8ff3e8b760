/** A worker process that the test kills. Its upstream comes from the environment. */
import { config } from '#lib/config.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { createLanguageEngine } from '../../workers/llm/engine.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { actionClient } from '../support/action-client.ts'

const [url = ''] = process.argv.slice(2)
const plan = {
  pool: 'llm' as const,
  settings: { concurrency: 4, fetchAhead: 0 },
  tasks: getTasksOfPool('llm'),
  tools: { llm: createLanguageEngine(config), actions: actionClient() },
}
await startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
