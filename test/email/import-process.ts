/** A worker process to be killed. It imports rows. */
import { newId } from '#lib/ids.ts'
import type { MailEngine } from '#tasks/email/engine.ts'
import { importRows } from '#tasks/email/import-rows.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'

const [url = ''] = process.argv.slice(2)
const plan = {
  pool: 'mail-campaign' as const,
  settings: { concurrency: 2, fetchAhead: 0 },
  tasks: [importRows],
  tools: { mail: {} as MailEngine, holder: { workerId: newId(), connections: new Set<string>() }, secret: '' },
}
await startFleet(url, [plan], { lease: 60_000, sweep: 200, grace: 1_000 }, () => process.exit(1))
console.log('ready')
