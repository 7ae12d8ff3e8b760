/** A worker process to be killed. It imports from the stand-in of the providers. */
import { createOutboundClient, withLoopback } from '#lib/http.ts'
import { importAll } from '#tasks/moving/import.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'

const [url = ''] = process.argv.slice(2)
const plan = {
  pool: 'web' as const,
  settings: { concurrency: 2, fetchAhead: 0 },
  tasks: [importAll],
  // The imports use nothing else of the pool.
  tools: { outbound: createOutboundClient(withLoopback) } as never,
}
await startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
