/** A worker process that the test kills. Its engine is slow and prints each question. */
import { startFleet } from '../../workers/runtime/fleet.ts'
import { llmPlan, scriptedEngine } from './engine.ts'

const engine = scriptedEngine(100)
const { chat } = engine
engine.chat = (request, signal, tell) => {
  process.stdout.write(`asked ${request.messages.at(-1)?.content}\n`)
  return chat(request, signal, tell)
}
const [url = ''] = process.argv.slice(2)
await startFleet(url, [llmPlan(engine, 4)], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
