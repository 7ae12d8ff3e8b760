/** A worker process to be killed: it reports each begun job on its output. */
import '../support/automation-environment.ts'
import { perform } from '#tasks/automation/perform.ts'
import { sendCopies } from '#tasks/notify/send-copies.ts'
import { takeSteps } from '#tasks/notify/take-steps.ts'
import type { Tools } from '#tasks/pools.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'

const [url = ''] = process.argv.slice(2)
const plan = {
  pool: 'core' as const,
  settings: { concurrency: 4, fetchAhead: 0 },
  tasks: [
    sendCopies,
    takeSteps,
    {
      ...perform,
      run: async (...args: Parameters<typeof perform.run>) => {
        process.stdout.write('begun\n')
        return await perform.run(...args)
      },
    },
  ],
  tools: {} as Tools['core'],
}
await startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
