import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { createRandom } from '../../ops/chaos/random.ts'
import { run } from '../../ops/chaos/run.ts'
import { pairGround } from '../../ops/failover/pair.ts'
import { primaryKilled } from '../../ops/failover/primary-killed.ts'
import { hasClocks, noHosts } from '../../ops/fleet/hosts.ts'
import { runFleet } from '../../ops/fleet/run.ts'

t.setTimeout(900_000)

const short = {
  time: 0,
  workers: 2,
  lease: 3_000,
  sweep: 300,
  rate: 30,
  away: 2_000,
  freeze: 0,
  around: 20,
  settle: 120_000,
  leeway: 4,
  film: false,
  live: false,
}

t.test(
  'the primary is killed, its standby promoted, and the other way round: nothing is lost or done twice',
  async (t) => {
    const { ground, pairOf } = pairGround()
    const fault = primaryKilled(pairOf)
    const rows = await run({ ...short, rounds: [[fault], [fault]], random: createRandom(7), ground })
    t.equal(rows.length, 2)
    for (const row of rows) {
      t.ok(row.accepted > 20, `${row.accepted} accepted`)
      t.strictSame(row.broken, [], 'every claim holds')
    }
  },
)

const skip = (await noHosts()) ?? false

t.test('hosts are cut off, lost, slow and wrong about the time: nothing is lost or done twice', { skip }, async (t) => {
  const rows = await runFleet({ ...short, random: createRandom(7) })
  const wanted = ['host-cut-off', 'host-lost', 'link-narrow', ...((await hasClocks()) ? ['clocks-off'] : [])]
  t.strictSame(
    wanted.filter((name) => !rows.some(({ faults }) => faults.includes(name))),
    [],
  )
  for (const row of rows) t.strictSame(row.broken, [], `${row.faults}: every claim holds`)
  await t.rejects(runFleet({ ...short, random: createRandom(7) }, ['none']), /no such fault here: none; there are/)
  const { stdout } = await promisify(execFile)('ip', ['netns', 'list'])
  t.notMatch(stdout, `millrace-${process.pid}-`, 'and the hosts are gone')
})
