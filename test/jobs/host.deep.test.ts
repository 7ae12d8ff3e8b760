import t from 'tap'
import * as runs from '#sql/jobs/runs.ts'
import { describeJob, type JobDescription } from '#tasks/jobs/rules/describe.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, plain, precious } from './work.ts'

// Run at the same time, because they mostly wait.
t.jobs = 5

const hour = 60 * 60_000

t.test('a postponed job is due when it said, whatever its worker’s clock says', async (t) => {
  for (const clock of [hour, -hour]) {
    const { url, db } = await testDatabase(t)
    await installEffects(db)
    await startWorker(t, url, { clock })
    const id = await enqueue(db, precious, { name: 'later', how: 'later', times: 1 })
    await until(async () => (await runs.find(db, id))?.state === 'done', { what: 'it is done' })
    t.pass(`${clock} ms off`)
  }
})

for (const [how, trouble] of [
  ['full', 'a full disk'],
  ['refused', 'a database that gives no connection'],
  ['unstored', 'a store that is away'],
] as const) {
  t.test(`${trouble} is its host’s trouble: the job waits, at no cost of an attempt`, async (t) => {
    const { url, db } = await testDatabase(t)
    await installEffects(db)
    await startWorker(t, url)
    const id = await enqueue(db, precious, { name: how, how, times: 1 })
    await enqueue(db, plain, { name: `${how}, untracked`, how, times: 1 })
    await until(async () => (await runs.find(db, id))?.state === 'done', { timeout: 30_000, what: 'it is done' })
    const untracked = () => effects(db, `${how}, untracked`)
    await until(async () => (await untracked()).some(({ phase }) => phase === 'end'), { timeout: 30_000 })
    for (const { attempt } of [...(await effects(db, how)), ...(await untracked())]) t.equal(attempt, 1)
  })
}

t.test('a job that no host can do is given up after a while, and its task is told why', async (t) => {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  await startWorker(t, url, { hostFault: 1_000 })
  for (const [how, why] of [
    ['full', 'No machine had enough space'],
    ['unstored', 'Object storage was unavailable'],
  ] as const) {
    const id = await enqueue(db, precious, { name: how, how })
    t.match(await until(async () => waitsFor(await describeJob(db, id)), { what: 'it waits, and says why' }), {
      error: /^waits for a fit host since \d{4}-.*Z: /,
      attempt: 1,
    })
    await until(async () => (await runs.find(db, id))?.state === 'failed', { timeout: 30_000, what: 'it is given up' })
    t.match(await runs.find(db, id), { error: new RegExp(`^HostFault: ${why}`) })
    t.match(await effects(db, how), [
      { phase: 'start', attempt: 1 },
      { phase: 'start', attempt: 1 },
      { phase: 'given up' },
    ])
  }
})

const waitsFor = (job: JobDescription) => job.state === 'scheduled' && job
