import t from 'tap'
import * as runs from '#sql/jobs/runs.ts'
import { enqueue } from '#tasks/enqueue.ts'
import { testDatabase } from '../support/database.ts'
import { startWorker } from '../support/fleet.ts'
import { until } from '../support/until.ts'
import { effects, installEffects, plain, precious } from './work.ts'

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

t.test('a full disk is its host’s trouble: the job waits for room, at no cost of an attempt', async (t) => {
  const { url, db } = await testDatabase(t)
  await installEffects(db)
  await startWorker(t, url)
  const id = await enqueue(db, precious, { name: 'full', how: 'full', times: 1 })
  await enqueue(db, plain, { name: 'full, untracked', how: 'full', times: 1 })
  await until(async () => (await runs.find(db, id))?.state === 'done', { timeout: 30_000, what: 'it is done' })
  const seen = await until(
    async () => {
      const all = await effects(db, 'full, untracked')
      return all.some(({ phase }) => phase === 'end') && all
    },
    { timeout: 30_000 },
  )
  for (const { attempt } of [...seen, ...(await effects(db, 'full'))]) t.equal(attempt, 1)
})
