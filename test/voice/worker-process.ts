/** A worker process to be killed: holds calls through the trunks of two telephones. */
import '../support/voice-environment.ts'
import { newId } from '#lib/ids.ts'
import { openPool } from '#sql/db.ts'
import { getTasksOfPool } from '#tasks/index.ts'
import { createCallRecords } from '#tasks/voice/rules/call-records.ts'
import { startFleet } from '../../workers/runtime/fleet.ts'
import { openSwitchboard } from '../../workers/voice/switchboard.ts'
import { trunksTo } from './stack.ts'

const [url = '', a, b, port] = process.argv.slice(2)
const db = await openPool(url, 4)
const workerId = newId()
const calls = await openSwitchboard({
  records: createCallRecords(db, workerId),
  trunks: trunksTo(Number(a), Number(b)),
  host: '127.0.0.1',
  port: Number(port),
  publicAddress: '127.0.0.1',
  capacity: 500,
  callsPerSecond: 100,
  lookMs: 100,
  leaseMs: 60_000,
  checkMs: 0,
})
const plan = {
  pool: 'voice' as const,
  workerId,
  settings: { concurrency: 8, fetchAhead: 0 },
  tasks: getTasksOfPool('voice'),
  tools: { calls },
}
await startFleet(url, [plan], { lease: 60_000, sweep: 500, grace: 1_000 }, () => process.exit(1))
console.log('ready')
