/** A worker process to be killed: each of its transactions lasts a moment before it commits, and is told on its output. */
import { sendBroadcast } from '#tasks/notify/send-broadcast.ts'
import { takeSteps } from '#tasks/notify/take-steps.ts'
import type { Tools } from '#tasks/pools.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'

const [url = ''] = process.argv.slice(2)
const plan = {
  pool: 'core' as const,
  settings: { concurrency: 4, fetchAhead: 0 },
  tasks: [
    sendBroadcast,
    {
      ...takeSteps,
      run: async (...args: Parameters<typeof takeSteps.run>) => {
        process.stdout.write('begun\n')
        return await takeSteps.run(...args)
      },
    },
  ],
  tools: {} as Tools['core'],
}
await startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
