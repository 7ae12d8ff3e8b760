import t from 'tap'
import { z } from 'zod'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as job from '#sql/jobs/job.ts'
import * as uploads from '#sql/video/uploads.ts'
import { clearQueues } from '#tasks/jobs/clear-queues.ts'
import { prune } from '#tasks/jobs/prune.ts'
import { performAction } from '#tasks/jobs/rules/actions.ts'
import { describeJob } from '#tasks/jobs/rules/describe.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { probe } from '#tasks/video/probe.ts'
import { sweepUploads } from '#tasks/video/sweep-uploads.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const { db, orgId, store } = stack
await stack.startWorkers({ FAILED_JOB_DAYS: '2', ABORTED_UPLOAD_DAYS: '3', ACTION_DAYS: '4' }, 'core')
const run = (query: ReturnType<typeof sql.unsafe>) => db.query(query)
const Count = z.object({ count: z.number() })

/** A failed job of a tracked task that ended `days` ago, if it has ended. */
async function dead(days: number, state: 'failed' | 'waiting'): Promise<string> {
  const id = await enqueue(db, probe, { assetId: newId() }, { orgId })
  await run(sql.unsafe`
    update jobs_media_intake._private_jobs set attempts = max_attempts, last_error = 'no luck',
      run_at = now() - ${days} * interval '1 day' where payload ->> 'run' = ${id}`)
  if (state === 'failed') {
    await run(sql.unsafe`
      update jobs.runs set state = 'failed', error = 'no luck', finished_at = now() - ${days} * interval '1 day'
      where id = ${id}`)
  }
  return id
}

t.test(
  'dead jobs leave their queues in their time; their runs stay on record, and a retry asks their task',
  async (t) => {
    const [old, young, unended] = [await dead(3, 'failed'), await dead(1, 'failed'), await dead(3, 'waiting')]
    const many = 5_001
    await run(sql.unsafe`
    insert into jobs_core._private_tasks (identifier) values ('test/of-old') on conflict do nothing`)
    await run(sql.unsafe`
    insert into jobs_core._private_jobs (task_id, payload, run_at, attempts, max_attempts)
    select (select id from jobs_core._private_tasks where identifier = 'test/of-old'), '{"payload":{}}', now() - interval '3 days', 5, 5
    from generate_series(1, ${many}::integer)`)
    const left = sql.type(Count)`select count(*) from jobs_core._private_jobs where attempts = 5 and max_attempts = 5`
    t.equal(await db.oneFirst(left), many)
    await enqueue(db, clearQueues, {})
    await until(async () => (await describeJob(db, old)).state === 'discarded', { what: 'the old one is put away' })
    await until(async () => (await db.oneFirst(left)) === 0, { what: 'so are the untracked, in more than one batch' })
    t.match(await describeJob(db, young), { state: 'failed', max_attempts: Number })
    t.match(
      await describeJob(db, unended),
      { state: 'failed', max_attempts: Number },
      'one whose task is yet to be told stays',
    )
    t.match(await describeJob(db, old), { name: old, error: 'no luck', payload: { assetId: String } })
    const record = await job.findRun(db, old)
    t.match(record, { state: 'failed', discarded_at: Date }, 'with its history')
    t.match(
      await performAction(db, 'retry', old, { actor: 'test' }),
      { changed: false, message: /asset was deleted/ },
      'asked of its task',
    )
  },
)

t.test('uploads that were given up go with their assets and whatever storage has of them', async (t) => {
  const start = async () => (await stack.ask('POST /v1/stream/uploads', { body: { bytes: 9 } })).body
  const given = async (days: number) => {
    const upload = await start()
    await stack.ask(`DELETE /v1/stream/uploads/${upload.uploadId}`)
    await run(sql.unsafe`
      update video.uploads set expires_at = now() - ${days} * interval '1 day' where id = ${upload.uploadId}`)
    return upload
  }
  const status = async (path: string) => (await stack.ask(`GET /v1/stream/${path}`)).status
  const [open, young] = [await start(), await given(2)]
  const old = await given(4)
  await run(sql.unsafe`
    with copied as (
      insert into video.assets (id, org_id, title, bytes, profile, status, stage)
      select gen_random_uuid(), org_id, 'old', bytes, profile, status, stage from video.assets, generate_series(1, 100)
      where id = ${old.assetId} returning id, org_id, bytes)
    insert into video.uploads (id, org_id, asset_id, bytes, part_bytes, parts, state, expires_at)
    select gen_random_uuid(), org_id, id, bytes, bytes, 1, 'expired', now() - interval '4 days' from copied`)
  const deleted = await given(4)
  await stack.ask(`DELETE /v1/stream/assets/${deleted.assetId}`)
  const late = uploads.sourceKey(old.assetId)
  await store.storage.put(late, Buffer.from('came late'), { contentType: 'video/mp4' })
  const rest = sql.type(Count)`select count(*) from video.assets where id = ${old.assetId} or title = 'old'`
  t.equal(await db.oneFirst(rest), 101)
  await enqueue(db, sweepUploads, {})
  await until(async () => (await db.oneFirst(rest)) === 0, { timeout: 30_000, what: 'all of the old are gone' })
  t.equal(await store.storage.size(late), null)
  t.equal(await status(`assets/${old.assetId}`), 404)
  t.equal(await status(`uploads/${old.uploadId}`), 404)
  t.equal((await stack.read(young.assetId)).status, 'aborted', 'for a while its owner can see what became of it')
  t.equal((await stack.read(open.assetId)).status, 'uploading')
})

t.test('what operators did is forgotten in its time', async (t) => {
  for (const [days, target] of [
    [5, 'old'],
    [3, 'young'],
  ] as const) {
    const id = await controls.recordAction(db, { actor: 'test', action: 'pause', target, count: 1 })
    await run(sql.unsafe`update jobs.actions set at = now() - ${days} * interval '1 day' where id = ${id}`)
  }
  await enqueue(db, prune, { tables: ['jobs.actions'] })
  const targets = async () => (await controls.actions(db, { limit: 10 })).map(({ target }) => target)
  await until(async () => !(await targets()).includes('old'), { what: 'the old one is gone' })
  t.ok((await targets()).includes('young'))
})
