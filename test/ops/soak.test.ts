import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import t from 'tap'
import { createRandom } from '../../ops/trials/chaos/random.ts'
import { renderPage } from '../../ops/trials/soak/page.ts'
import { measureProcess, measureProcessTree } from '../../ops/trials/soak/processes.ts'
import type { SoakReport } from '../../ops/trials/soak/run.ts'
import type { Sample, TableSample } from '../../ops/trials/soak/sampler.ts'
import { findTrend } from '../../ops/trials/soak/trend.ts'
import { checkTrends } from '../../ops/trials/soak/verdict.ts'

const MiB = 1024 ** 2
const [hour, every, warm] = [3600, 5, 600]
const times = Array.from({ length: hour / every }, (_, i) => i * every)
const bound = { share: 0.05, least: 10 }

/** A series of a value that swings by a tenth, as memory does between two collections. */
function series(value: (at: number) => number) {
  const random = createRandom(3)
  return times.map((at) => ({ at, value: value(at) * (0.95 + random.next() / 10) }))
}

t.test('what grows steadily is found; a step, a peak and a swing are none', async (t) => {
  const rises = (value: (at: number) => number) => findTrend(series(value), bound)?.rises
  t.equal(
    rises((at) => 300 + at / 24),
    true,
    'half as much again in an hour',
  )
  t.equal(
    rises(() => 300),
    false,
    'level',
  )
  t.equal(
    rises((at) => 300 - at / 24),
    false,
    'down',
  )
  t.equal(
    rises((at) => (at < 1000 ? 200 : 400)),
    false,
    'a step early on',
  )
  t.equal(
    rises((at) => (at > 3300 ? 600 : 300)),
    false,
    'a step at the end',
  )
  t.equal(
    rises((at) => (at % 600 < 100 ? 900 : 300)),
    false,
    'peaks of faults',
  )
  t.equal(
    rises((at) => 300 + (at % 700) / 4),
    false,
    'a saw',
  )
  t.equal(findTrend(series(() => 1).slice(0, 5), bound), undefined, 'too few say nothing')
  const {
    before = 0,
    after = 0,
    perHour = 0,
  } = findTrend(
    series((at) => 300 + at / 24),
    bound,
  ) ?? {}
  t.ok(after - before > 35 && after - before < 65, `${before} to ${after}`)
  t.ok(Math.abs(perHour - 150) < 15, `${perHour} an hour`)
})

const holding = {
  pid: 7,
  pss: 300 * MiB,
  rss: 400 * MiB,
  handles: 90,
  sockets: 40,
  threads: 24,
  children: 2,
  delay: 0.02,
}
const table = { name: 'jobs.runs', heap: 40 * MiB, indexes: 10 * MiB, rows: 50_000, dead: 0.02, free: 0.1 }
const levelSample = (at: number): Sample => ({
  at,
  processes: { ingress: holding },
  database: { connections: 150, waiting: 3, running: 4 },
  repeated: 0,
  failed: 0,
})

/** What is found to rise when each sample is changed so. */
function rising(
  change: (sample: Sample, at: number) => void,
  ofTable: (at: number) => Partial<typeof table> = () => ({}),
) {
  const samples = times.map((at) => {
    const sample = structuredClone(levelSample(at))
    change(sample, at)
    return sample
  })
  const tables: TableSample[] = times
    .filter((at) => at % 30 === 0)
    .map((at) => ({ at, tables: [{ ...table, ...ofTable(at) }] }))
  return checkTrends(samples, tables, warm).flatMap(({ of, measure, rises }) => (rises ? [`${of}: ${measure}`] : []))
}

const own =
  (change: (one: NonNullable<Sample['processes'][string]>, at: number) => void) => (sample: Sample, at: number) =>
    change(sample.processes.ingress as NonNullable<Sample['processes'][string]>, at)

const ofDatabase =
  (change: (one: NonNullable<Sample['database']>, at: number) => void) =>
  ({ database }: Sample, at: number) => {
    if (database) change(database, at)
  }

t.test('each measure that rises is named, and nothing else', async (t) => {
  t.strictSame(
    rising(() => {}),
    [],
  )
  t.strictSame(
    rising(
      own((one, at) => {
        one.pss += at * 30_000
      }),
    ),
    ['ingress: memory'],
  )
  t.strictSame(
    rising(
      own((one, at) => {
        one.handles += at / 40
      }),
    ),
    ['ingress: handles'],
  )
  t.strictSame(
    rising(
      own((one, at) => {
        one.threads += at / 200
      }),
    ),
    ['ingress: threads'],
  )
  t.strictSame(
    rising(
      own((one, at) => {
        one.delay = Math.max(0, at - warm) / 10_000
      }),
    ),
    ['ingress: loop delay'],
  )
  t.strictSame(
    rising(
      ofDatabase((one, at) => {
        one.connections += at / 60
      }),
    ),
    ['database: connections'],
  )
  t.strictSame(
    rising(
      ofDatabase((one, at) => {
        one.waiting += Math.max(0, at - warm)
      }),
    ),
    ['queues: waiting jobs'],
  )
  const still = () => {}
  t.strictSame(
    rising(still, (at) => ({ dead: at / 6_000 })),
    ['jobs.runs: dead rows'],
  )
  t.strictSame(
    rising(still, (at) => ({ heap: table.heap + at * 20_000 })),
    ['jobs.runs: bytes'],
  )
  const filled = (at: number) => ({ rows: 50_000 + at * 20, heap: table.heap + at * 20 * 900 })
  t.strictSame(rising(still, filled), [], 'rows that stay take what they take')
  const bloated = (at: number) => ({ rows: 50_000 + at * 10, heap: table.heap + at * 60_000 })
  t.strictSame(rising(still, bloated), ['jobs.runs: bytes a row'])
})

t.test(
  'a process that was started anew is judged from its own warm-up on, and one that lived briefly is not',
  async (t) => {
    const again = (from: number) =>
      own((one, at) => {
        if (at >= from) one.pid = 8
        one.pss = at < from ? 300 * MiB : Math.min(300, 60 + (at - from) / 2) * MiB
      })
    t.strictSame(rising(again(1_200)), [], 'its first minutes are as those of the first')
    const lives = (from: number) =>
      checkTrends(
        times.map((at) => ({ ...levelSample(at), processes: { ingress: { ...holding, pid: at < from ? 7 : 8 } } })),
        [],
        warm,
      ).filter(({ measure }) => measure === 'memory').length
    t.equal(lives(2_900), 1, 'the long one alone')
    t.equal(lives(1_800), 2)
  },
)

t.test('a process is measured, and a tree of them', async (t) => {
  const one = await measureProcess(process.pid)
  t.ok(one && one.pss > 10 * MiB && one.rss >= one.pss && one.handles > 3 && one.threads > 3, JSON.stringify(one))
  // This process can have children of other files of its group.
  const shell = spawn('sh', ['-c', 'sleep 60 & echo begun; read line; kill $!; wait; echo ended; read line'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const pid = shell.pid ?? 0
  const exited = once(shell, 'exit')
  const lines = createInterface({ input: shell.stdout })[Symbol.asyncIterator]()
  t.equal((await lines.next()).value, 'begun')
  t.equal((await measureProcess(pid))?.children, 1)
  t.equal((await measureProcess(pid))?.threads, 1)
  t.equal((await measureProcessTree(pid))?.threads, 2, 'with its descendants')
  shell.stdin.write('stop\n')
  t.equal((await lines.next()).value, 'ended')
  t.equal((await measureProcessTree(pid))?.children, 0)
  shell.kill('SIGKILL')
  await exited
  t.equal(await measureProcess(2 ** 22 - 1), undefined, 'one that is not there')
})

t.test('the page shows everything by itself, and takes no text for markup', async (t) => {
  const report: SoakReport = {
    begunAt: '2026-01-01T00:00:00.000Z',
    minutes: 60,
    rate: 50,
    warm,
    samples: times.map(levelSample),
    tables: [{ at: 30, tables: [table] }],
    strikes: [{ name: 'worker-killed', from: 120, to: 124, broken: [] }],
    areas: { geo: { done: 3, excused: 1, failed: 0 } },
    trends: checkTrends(times.map(levelSample), [], warm),
    ledger: { accepted: 9, effects: 10, duplicates: 0, broken: [] },
    broken: ['<script>alert(1)</script>'],
  }
  const page = renderPage(report)
  t.notMatch(page, /<script|https?:|src=|href=/)
  t.match(page, /&lt;script&gt;/)
  t.match(page, /light-dark\(/)
  t.equal(page.match(/role="img"/g)?.length, 13)
  t.match(page, /aria-label="Memory \(PSS\): maximum 300\.0 MiB"/)
  t.match(page, /<title>worker-killed<\/title>/)
  t.notMatch(page, /NaN|Infinity|undefined/)
  t.match(renderPage({ ...report, broken: [] }), /Passed: no value rises after the first 10 minutes/)
})
