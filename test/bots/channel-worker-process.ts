/**
 * A worker process with the pools of channels that the test kills. It prints each question. Its first argument is the
 * database, its second the server of the Cloud API.
 */
import { createSeal } from '#lib/seal.ts'
import { createSlots } from '#lib/slots.ts'
import { sealPurpose } from '#sql/whatsapp/business-numbers.ts'
import { hear } from '#tasks/bots/hear.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { type PoolPlan, startFleet } from '../../workers/runtime/fleet.ts'
import { createCloudApi } from '../../workers/whatsapp/cloud-api.ts'
import { accessToken, accountId, phoneNumberId } from '../whatsapp/cloud-api-server.ts'
import { signingSecret } from '../whatsapp/stack.ts'
import { llmPlan, scriptedEngine } from './engine.ts'

const [url = '', server = ''] = process.argv.slice(2)
const engine = scriptedEngine(60)
const { chat } = engine
engine.chat = (request, signal, tell) => {
  process.stdout.write(`asked ${request.messages.at(-1)?.content}\n`)
  return chat(request, signal, tell)
}
const client = createCloudApi({ server, version: 'v23.0', phoneNumberId, accountId, accessToken, timeoutMs: 2_000 })
const whatsapp: PoolPlan<'whatsapp'> = {
  pool: 'whatsapp',
  settings: { concurrency: 4, fetchAhead: 0 },
  tasks: getTasksOfPool('whatsapp'),
  tools: {
    whatsapp: client,
    seal: createSeal(signingSecret, sealPurpose),
    storage: undefined as never,
    scratch: {
      async attempt() {
        throw new Error('no file is expected')
      },
    },
    fileSlot: createSlots(2).tryTake,
  },
}
const core: PoolPlan<'core'> = {
  pool: 'core',
  settings: { concurrency: 4, fetchAhead: 0 },
  tasks: [hear],
  tools: { storage: undefined as never, certificates: { lacks: 'tests' }, giveUp: async () => {} },
}
const plans = [whatsapp as PoolPlan, core as PoolPlan, llmPlan(engine, 4) as PoolPlan]
await startFleet(url, plans, { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
