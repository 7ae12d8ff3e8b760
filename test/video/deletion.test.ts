import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { sql } from '#sql/db.ts'
import { mint } from '../../ops/video-client.ts'
import { film } from '../media/sources.ts'
import { testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

t.setTimeout(240_000)
const stack = await videoStack(t)
const { ask, db, store } = stack
const at = (name: string) => join(stack.data, name)
await stack.startWorkers()
const clip = await film(at('clip.mp4'), 'testsrc2=s=160x90:r=25:d=2')
const remove = (assetId: string, key = stack.key) => ask(`DELETE /v1/stream/assets/${assetId}`, { key })
const source = (assetId: string, key = stack.key) => ask(`GET /v1/stream/assets/${assetId}/source`, { key })
const objectsOf = async (assetId: string) => (await store.list('video/')).filter((key) => key.includes(assetId))

const assetId = await stack.send(clip)

t.test('the original of a ready asset is downloaded with a link of a minute, byte by byte', async (t) => {
  t.match(await source(assetId), { status: 409, body: { error: { code: 'asset_not_ready' } } })
  await stack.ready(assetId)
  const { body } = await source(assetId)
  const original = await readFile(clip)
  t.match(body, { bytes: original.length, expiresInSeconds: 60 })
  const got = await fetch(body.url)
  t.ok(Buffer.from(await got.arrayBuffer()).equals(original))
  t.match(got.headers.get('content-disposition'), /^attachment; filename="clip.mp4"/)
  t.equal(got.headers.get('content-type'), 'application/octet-stream')
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  t.equal((await source(assetId, keys.main)).status, 404)
  t.equal((await remove(assetId, keys.main)).status, 404)
  t.equal((await source(assetId)).status, 200)
})

t.test('a deleted asset is gone at once for all who ask, and soon from storage', async (t) => {
  const { hlsUrl, embedUrl } = await mint(stack.api, assetId)
  t.equal((await fetch(hlsUrl)).status, 200)
  t.match(await remove(assetId), { status: 200, body: { id: assetId, deleted: true } })
  for (const url of [hlsUrl, embedUrl]) t.equal((await fetch(url)).ok, false)
  t.equal((await source(assetId)).status, 404)
  t.equal((await ask(`GET /v1/stream/assets/${assetId}`)).status, 404)
  t.equal((await ask(`PATCH /v1/stream/assets/${assetId}`, { body: { visibility: 'public' } })).status, 404)
  t.equal((await ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body: {} })).status, 404)
  const listed = (await ask('GET /v1/stream/assets?limit=100')).body.data
  t.notOk(listed.some(({ id }: { id: string }) => id === assetId))
  t.equal((await remove(assetId)).status, 404)
  await until(async () => (await objectsOf(assetId)).length === 0)
})

t.test('deleting an asset in the works ends its jobs, and its upload', async (t) => {
  const long = await film(at('long.mp4'), 'testsrc2=s=640x360:r=25:d=16', { sound: null })
  const assetId = await stack.send(long)
  await until(() =>
    db.exists(sql.unsafe`
    select 1 from jobs.runs where subject = ${assetId} and task = 'video/encode-chunk' and state = 'running'`),
  )
  t.equal((await remove(assetId)).status, 200)
  await until(
    async () =>
      !(await db.exists(sql.unsafe`
    select 1 from jobs.runs where subject = ${assetId} and state in ('waiting', 'running')`)),
  )
  const never = sql.unsafe`select 1 from video.assets where id = ${assetId} and status <> 'deleted'`
  t.notOk(await db.exists(never))

  const { uploadId, assetId: waiting } = (await ask('POST /v1/stream/uploads', { body: { bytes: 77 } })).body
  t.equal((await remove(waiting)).status, 200)
  t.match(await ask(`GET /v1/stream/uploads/${uploadId}`), { status: 200, body: { state: 'aborted' } })
})
