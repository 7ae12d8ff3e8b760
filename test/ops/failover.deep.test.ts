import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import t from 'tap'
import { createRandom } from '../../ops/trials/chaos/random.ts'
import { faultNames, runFailover, whyNoCluster } from '../../ops/trials/failover/run.ts'
import { hasClocks, whyNoHosts } from '../../ops/trials/fleet/hosts.ts'
import { runFleet } from '../../ops/trials/fleet/run.ts'

t.setTimeout(900_000)

// Asked one after the other, and before the first test: each makes a namespace for a moment.
const skip = (await whyNoHosts()) ?? false
const skipCluster = (await whyNoCluster()) ?? false

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

/** Whether namespaces of this process are left. */
async function left(): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ip', ['netns', 'list'])
  return stdout.includes(`millrace-${process.pid}-`)
}

t.test(
  'the hosts of the database fail one way after the other: nothing is lost or done twice',
  { skip: skipCluster },
  async (t) => {
    const settings = { ...short, lease: 20_000, rounds: 1, random: createRandom(7) }
    const { rows, figures } = await runFailover(settings)
    t.strictSame(
      rows.map(({ faults }) => faults),
      faultNames.map((name) => [name]),
    )
    for (const row of rows) {
      t.ok(row.accepted > 20, `${row.accepted} accepted`)
      t.strictSame(row.broken, [], `${row.faults}: every claim holds`)
    }
    t.equal(figures.find(({ fault }) => fault === 'patroni-killed')?.orphan, true, 'there were two that take writes')
    await t.rejects(runFailover(settings, ['none']), /Unknown fault: none\. The faults are /)
    t.notOk(await left(), 'and the hosts are gone')
  },
)

t.test('hosts are cut off, lost, slow and wrong about the time: nothing is lost or done twice', { skip }, async (t) => {
  const rows = await runFleet({ ...short, random: createRandom(7) })
  const wanted = ['host-cut-off', 'host-lost', 'link-narrow', ...((await hasClocks()) ? ['clocks-off'] : [])]
  t.strictSame(
    wanted.filter((name) => !rows.some(({ faults }) => faults.includes(name))),
    [],
  )
  for (const row of rows) t.strictSame(row.broken, [], `${row.faults}: every claim holds`)
  await t.rejects(runFleet({ ...short, random: createRandom(7) }, ['none']), /Unknown fault: none\. The faults are /)
  t.notOk(await left(), 'and the hosts are gone')
})
