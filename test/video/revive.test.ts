import { join } from 'node:path'
import t from 'tap'
import { z } from 'zod'
import { sql } from '#sql/db.ts'
import { act } from '#tasks/jobs/actions.ts'
import { film, numbered } from '../media/sources.ts'
import { until } from '../support/until.ts'
import { noise, videoStack } from '../support/video-stack.ts'

t.setTimeout(180_000)
const stack = await videoStack(t)
const by = { actor: 'test' }

const runOf = (assetId: string, task: string) =>
  until(
    () =>
      stack.db.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
        select id from jobs.runs where subject = ${assetId} and task = ${task} order by id limit 1`),
    { timeout: 60_000, what: `${task} is enqueued` },
  )
const fails = (assetId: string) =>
  until(async () => (await stack.read(assetId)).status === 'failed', { timeout: 30_000, what: 'it fails' })
const discarded = (assetId: string) =>
  until(() =>
    stack.db
      .exists(sql.type(z.object({ key: z.string() }))`
        select key from jobs_core._private_jobs where key = ${`discard:${assetId}`}`)
      .then((waits) => !waits),
  )

t.test('an asset that failed by no fault of its own is tried again from its upload and becomes ready', async (t) => {
  const source = await film(join(stack.data, 'film.mp4'), numbered('30', 6), {
    codec: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p'],
  })
  await stack.startWorkers({}, 'core,media-intake')
  const assetId = await stack.send(source)
  const run = await runOf(assetId, 'video/encode-chunk')
  t.match(await act(stack.db, 'cancel', run, by), { changed: true, state: 'waiting' })
  await fails(assetId)
  await discarded(assetId)
  const retried = await until(async () => {
    const outcome = await act(stack.db, 'retry', run, by)
    return outcome.changed && outcome
  })
  t.equal(retried.state, 'cancelled')
  t.equal((await stack.read(assetId)).status, 'processing')
  await stack.startWorkers({}, 'media')
  await stack.ready(assetId)
  const minted = await stack.ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body: {} })
  t.equal(minted.status, 201)
})

t.test('an upload that can never work is not tried again, and that is said', async (t) => {
  const assetId = await stack.sendBytes('noise.mp4', noise(100_000))
  await fails(assetId)
  const run = await runOf(assetId, 'video/probe')
  const refused = await until(async () => {
    const outcome = await act(stack.db, 'retry', run, by)
    return outcome.state === 'rejected' && outcome
  })
  t.match(refused, { changed: false, message: /never work/ })
})

t.test(
  'an upload that no living worker has room for is refused at its probe, and tried again once one has',
  async (t) => {
    const source = await film(join(stack.data, 'large.mp4'), numbered('30', 2), {
      codec: ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p'],
    })
    const largest = (bytes: number) =>
      stack.db.query(
        sql.typeAlias('void')`update jobs.workers set scratch_bytes = ${bytes} where scratch_bytes is not null`,
      )
    t.ok((await largest(1_000)).rowCount > 0, 'workers tell of their disks')
    const assetId = await stack.send(source)
    await fails(assetId)
    t.match(await stack.read(assetId), { failure_summary: /larger than any of our machines/ })
    await discarded(assetId)
    await largest(1e12)
    const run = await runOf(assetId, 'video/probe')
    await until(async () => (await act(stack.db, 'retry', run, by)).changed)
    await stack.ready(assetId)
  },
)
