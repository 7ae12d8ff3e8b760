import t from 'tap'
import { faults } from '../../ops/trials/chaos/faults.ts'
import { createRandom } from '../../ops/trials/chaos/random.ts'
import { renderPage } from '../../ops/trials/soak/page.ts'
import { soak } from '../../ops/trials/soak/run.ts'

t.setTimeout(900_000)

t.test('all areas work while faults strike, everything is sampled, and what was accepted is done once', async (t) => {
  const report = await soak({
    minutes: 2,
    rate: 20,
    faults: faults.filter(({ name }) => ['worker-killed', 'storage-away', 'postgres-restarted'].includes(name)),
    faultEvery: 30_000,
    warm: 600,
    sampleEvery: 2_000,
    tablesEvery: 5_000,
    workers: 2,
    lease: 12_000,
    sweep: 1_000,
    away: 1_500,
    settle: 120_000,
    random: createRandom(5),
  })
  t.strictSame(report.broken, [])
  t.ok(report.strikes.length >= 2, `${report.strikes.length} faults struck`)
  t.ok(report.ledger.accepted > 200 && report.ledger.effects > 200, `${report.ledger.accepted} accepted`)
  const { processes = {}, database } = report.samples.at(-1) ?? {}
  const names = ['ingress', 'ingress-steady', 'object-store', 'postgres', 'worker-1', 'worker-2']
  t.strictSame(Object.keys(processes).sort(), names)
  for (const name of names.slice(0, 2).concat(names.slice(4)))
    t.type(processes[name]?.delay, 'number', `${name} tells how late its event loop is`)
  t.ok((database?.connections ?? 0) > 50, `${database?.connections} connections`)
  t.ok(report.tables.at(-1)?.tables.some(({ name, rows }) => name === 'jobs.runs' && rows > 0))
  t.ok(Object.keys(report.areas).length >= 12, `${Object.keys(report.areas)}`)
  t.ok(Object.values(report.areas).every(({ failed }) => failed === 0))
  t.match(renderPage(report), /aria-label="Event-loop delay/)
})
