import { join } from 'node:path'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { film } from '../media/sources.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const { ask, db, store } = stack
const at = (name: string) => join(stack.data, name)
await stack.startWorkers()
const clip = await film(at('clip.mp4'), 'testsrc2=s=160x90:r=25:d=2')
const remove = (assetId: string, key = stack.key) => ask(`DELETE /v1/stream/assets/${assetId}`, { key })
const objectsOf = async (assetId: string) => (await store.list('video/')).filter((key) => key.includes(assetId))

t.test('the second look, an hour on, leaves nothing of it', async (t) => {
  const assetId = await stack.send(clip)
  await stack.ready(assetId)
  await remove(assetId)
  await until(async () => (await objectsOf(assetId)).length === 0)
  // What a job that was at it stored behind the back of the first look.
  await store.storage.put(`video/work/${assetId}/late.mp4`, Buffer.from('late'), { contentType: 'video/mp4' })
  await db.query(sql.unsafe`update video.assets set deleted_at = now() - interval '2 hours' where id = ${assetId}`)
  await db.query(sql.unsafe`
    update jobs_core._private_jobs set run_at = now() where key = ${`remove-again:${assetId}`}`)
  await until(async () => (await objectsOf(assetId)).length === 0)
  await until(async () => !(await db.exists(sql.unsafe`select 1 from video.assets where id = ${assetId}`)))
  t.strictSame(await objectsOf(assetId), [])
})
