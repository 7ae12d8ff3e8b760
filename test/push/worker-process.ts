/** A worker process to be killed: it prints each token that it sends to, and answers for a batch a moment later. */
import { setTimeout as pause } from 'node:timers/promises'
import type { PushEngine } from '#tasks/push/engine.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { pushPlan } from './stack.ts'

const [url = '', lease = '60000', answerMs = '60'] = process.argv.slice(2)

const engine: PushEngine = {
  async send(_, pushes) {
    process.stdout.write(`${pushes.map(({ token }) => `sent ${token}`).join('\n')}\n`)
    await pause(Number(answerMs))
    return pushes.map(() => ({ outcome: 'sent', status: 200, latencyMs: 60 }))
  },
  check: async () => undefined,
}

await startFleet(url, [pushPlan(engine)], { lease: Number(lease), sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
