import t from 'tap'
import { sql } from '#sql/db.ts'
import * as controls from '#tasks/jobs/rules/controls.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { db } = stack
const by = { actor: 'test' }
const run = (query: ReturnType<typeof sql.unsafe>) => db.query(query)

t.test('while what it waits for is paused, an asset promises no time, and says so', async (t) => {
  const [measured, assetId] = [await stack.sendBytes('a.mp4', 'a'), await stack.sendBytes('b.mp4', 'b')]
  await run(sql.unsafe`update video.assets set work_units = 100, stage = 'encoding' where id = ${assetId}`)
  await run(sql.unsafe`
    insert into video.parts (asset_id, kind, number, units, done_at, wall_seconds)
    values (${measured}, 'chunk', 0, 100, now(), 10), (${assetId}, 'chunk', 0, 100, now(), 10), (${assetId}, 'chunk', 1, 100, null, null)`)
  await run(sql.unsafe`
    insert into jobs.workers (id, pool, locked_by, host, pid, concurrency)
    values (gen_random_uuid(), 'media', 'worker of a test', 'host', 1, 2)`)
  const become = (state: string) =>
    run(sql.unsafe`update jobs.runs set attempt = 1, state = ${state} where subject = ${assetId}`)
  await become('waiting')
  const going = { encoding: true, etaBasis: 'progress', estimatedReadyAt: String }
  const held = {
    encoding: true,
    etaBasis: 'paused',
    estimatedReadyAt: null,
    stageLabel: /paused/,
  }
  const begun = await stack.read(assetId)
  t.match(begun, going)
  t.ok(begun.progress_percent > 50, `${begun.progress_percent} % are done`)
  Object.assign(held, { progress_percent: begun.progress_percent })

  await controls.pause(db, { pool: 'media', task: '' }, by)
  t.match(await stack.read(assetId), held, 'what is done stays done')
  t.match(
    await stack.read(measured),
    { encoding: false, progress_percent: 0, stageLabel: /paused/ },
    'what has not begun says so',
  )
  await become('running')
  const finishing = await stack.read(assetId)
  t.match(finishing, { encoding: true, etaBasis: 'paused', estimatedReadyAt: null }, 'what runs goes on')
  t.ok(finishing.progress_percent > 0)
  await run(sql.unsafe`update video.assets set stage = 'packaging' where id = ${assetId}`)
  t.match(await stack.read(assetId), going, 'it needs that pool no more')
  await controls.resume(db, { pool: 'media', task: '' }, 'test')

  await become('waiting')
  Object.assign(held, { progress_percent: (await stack.read(assetId)).progress_percent })
  await controls.pause(db, { pool: 'media-intake', task: 'video/package-ladder' }, by)
  t.match(await stack.read(assetId), held, 'nor while a task of its way is paused')
  await controls.resume(db, { pool: 'media-intake', task: 'video/package-ladder' }, 'test')
  for (const other of ['video/probe', 'video/transcribe']) {
    await controls.pause(db, { pool: other === 'video/probe' ? 'media-intake' : 'media', task: other }, by)
  }
  await controls.pause(db, { pool: 'core', task: '' }, by)
  t.match(await stack.read(assetId), going, 'pauses of what it does not wait for change nothing')
})
