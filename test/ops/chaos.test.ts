import t from 'tap'
import { faults } from '../../ops/chaos/faults.ts'
import { createRandom } from '../../ops/chaos/random.ts'
import { run } from '../../ops/chaos/run.ts'

t.setTimeout(200_000)

t.test('nothing that was accepted is lost or done twice, whatever strikes', async (t) => {
  const rows = await run({
    faults,
    random: createRandom(7),
    time: 0,
    workers: 3,
    lease: 2_000,
    sweep: 200,
    rate: 60,
    away: 1_500,
    freeze: 4_000,
    around: 20,
    settle: 60_000,
    film: false,
  })
  t.strictSame(
    rows.flatMap((row) => row.faults),
    faults.map(({ name }) => name),
    'every fault has struck',
  )
  for (const row of rows) {
    t.ok(row.accepted > 20, `${row.faults}: ${row.accepted} accepted`)
    t.equal(row.skipped, undefined)
    t.strictSame(row.broken, [], `${row.faults}: every claim holds`)
  }
})
