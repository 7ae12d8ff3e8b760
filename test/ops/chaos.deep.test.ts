import t from 'tap'
import type { Fault } from '../../ops/trials/chaos/fault.ts'
import { faults } from '../../ops/trials/chaos/faults.ts'
import { createRandom } from '../../ops/trials/chaos/random.ts'
import { run } from '../../ops/trials/chaos/run.ts'

t.setTimeout(400_000)

/** Together where they do not undo one another, as each round takes seconds to come to rest. */
const names = [
  ['worker-killed'],
  ['ingress-killed', 'worker-frozen', 'disk-full'],
  ['clock-jumped', 'storage-away', 'connections-exhausted'],
  ['postgres-restarted'],
  ['postgres-away'],
  ['writes-refused'],
  ['queue-locked'],
]
const fault = (wanted: string) => faults.find(({ name }) => name === wanted) as Fault

t.test('nothing that was accepted is lost or done twice, whatever strikes', async (t) => {
  const rows = await run({
    rounds: names.map((round) => round.map(fault)),
    random: createRandom(7),
    time: 0,
    workers: 3,
    lease: 2_000,
    sweep: 200,
    rate: 40,
    away: 1_500,
    freeze: 3_000,
    around: 20,
    settle: 60_000,
    // That a lone killed worker's jobs run again within 3 s is asserted in test/jobs/crash.test.ts.
    leeway: 3,
    film: false,
    live: true,
  })
  t.strictSame(names.flat().sort(), faults.map(({ name }) => name).sort(), 'every fault is among them')
  t.equal(rows.length, names.length)
  for (const row of rows) {
    t.ok(row.accepted > 20, `${row.faults}: ${row.accepted} accepted`)
    t.equal(row.skipped, undefined)
    t.strictSame(row.broken, [], `${row.faults}: every claim holds`)
  }
})
