import { join } from 'node:path'
import t from 'tap'
import { film, numbered } from '../media/sources.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { until } from '../support/until.ts'
import { type Started, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { ask, db } = stack
const start = async (key: string, body: Record<string, unknown> = {}): Promise<Started> =>
  (await ask('POST /v1/stream/uploads', { key, body: { bytes: 5, ...body } })).body
const list = (query = '', key = stack.key) => ask(`GET /v1/stream/assets${query}`, { key })
const idsOf = (reply: { body: { data: { id: string }[] } }) => reply.body.data.map(({ id }) => id)
const show = (assetId: string, body: unknown, key = stack.key) =>
  ask(`PATCH /v1/stream/assets/${assetId}`, { key, body })

t.test('assets are listed newest first, page by page, without gaps or repeats', async (t) => {
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  const made: string[] = []
  for (let i = 0; i < 7; i++) made.unshift((await start(keys.main, { title: `number ${i}` })).assetId)
  t.strictSame(idsOf(await list('', keys.main)), made)
  const walked: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await list(`?limit=3${cursor && `&cursor=${encodeURIComponent(cursor)}`}`, keys.main)
    t.equal(page.status, 200)
    walked.push(...idsOf(page))
    cursor = page.body.next_cursor
    // What is added meanwhile stands before the first page and shifts nothing.
    if (walked.length === 3) await start(keys.main)
  }
  t.strictSame(walked, made)
  t.equal((await list('?limit=100', keys.main)).body.next_cursor, null)
})

t.test('the list takes a status, and names what it cannot take', async (t) => {
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  const waiting = await start(keys.main)
  const gone = await start(keys.main)
  await ask(`DELETE /v1/stream/uploads/${gone.uploadId}`, { key: keys.main })
  t.strictSame(idsOf(await list('?status=uploading', keys.main)), [waiting.assetId])
  t.strictSame(idsOf(await list('?status=aborted', keys.main)), [gone.assetId])
  t.strictSame(idsOf(await list('?status=ready', keys.main)), [])
  const bad: Record<string, string> = { status: '?status=done', limit: '?limit=101', cursor: '?cursor=x' }
  for (const [field, query] of Object.entries(bad)) {
    const reply = await list(query, keys.main)
    t.equal(reply.status, 400, query)
    t.strictSame(fieldsOf(reply), [`query.${field}`])
  }
  t.strictSame(fieldsOf(await list('?status=done&limit=0', keys.main)), ['query.limit', 'query.status'])
})

t.test('an asset echoes what its upload said, and tells where it is', async (t) => {
  const said = { filename: 'ä b.mp4', mimeType: 'video/mp4', title: 'Ein Titel 🎬', externalRef: 'r/1' }
  const { uploadId, assetId } = await start(stack.key, { ...said, processingProfile: 'fast_social', bytes: 77 })
  const asset = await stack.read(assetId)
  t.match(asset, { id: assetId, ...said, processingProfile: 'fast_social', bytes: 77, upload_id: uploadId })
  t.match(asset, { status: 'uploading', current_stage: 'uploading', stage: 'Waiting for the upload' })
  t.match(asset, { progress_percent: 0, visibility: 'signed', playable: false, renditions: [], durationSeconds: null })
  for (const later of ['encoding', 'queuePosition', 'stageLabel', 'estimatedReadyAt', 'etaBasis'])
    t.notOk(later in asset, `${later} is told while it is processed only`)
  for (const inner of ['org_id', 'package_id', 'mezzanine', 'plan', 'work_units'])
    t.notOk(inner in asset, `${inner} is our own`)
  const [listed] = (await list('?limit=1')).body.data
  t.match(listed, { id: assetId, ...said, status: 'uploading', stage: 'Waiting for the upload' })
})

t.test('an asset of another organisation is not there', async (t) => {
  const { assetId } = await start(stack.key)
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  t.match(await ask(`GET /v1/stream/assets/${assetId}`, { key: keys.main }), { status: 404 })
  t.match(await show(assetId, { visibility: 'public' }, keys.main), { status: 404 })
  t.strictSame(idsOf(await list('', keys.main)), [])
  t.equal((await stack.read(assetId)).visibility, 'signed')
  t.equal((await ask(`GET /v1/stream/assets/${crypto.randomUUID()}`)).status, 404)
  const reader = await testOrg(db, ['stream:read'])
  t.equal((await show(assetId, { visibility: 'public' }, reader.keys.main)).status, 403)
})

t.test('visibility is one of four, anything else is refused and changes nothing', async (t) => {
  const { assetId } = await start(stack.key)
  for (const visibility of ['private', 'signed', 'unlisted', 'public']) {
    const reply = await show(assetId, { visibility })
    t.match(reply, { status: 200, body: { id: assetId, visibility, poster: 'none' } })
    t.strictSame(Object.keys(reply.body).sort(), ['id', 'poster', 'visibility'])
    t.equal((await stack.read(assetId)).visibility, visibility)
  }
  for (const visibility of ['Public', '', 'hidden', null, 1, ['public']])
    t.strictSame(fieldsOf(await show(assetId, { visibility })), ['body.visibility'], JSON.stringify(visibility))
  t.strictSame(fieldsOf(await show(assetId, {})), ['body.visibility'])
  t.strictSame(fieldsOf(await show(assetId, { visibility: 'private', titel: 'x' })), ['body.titel'])
  t.equal((await stack.read(assetId)).visibility, 'public')
})

t.test('a narrower visibility takes the open poster away in the same request', async (t) => {
  await stack.startWorkers()
  const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p']
  const assetId = await stack.send(await film(join(stack.data, 'a.mp4'), numbered('30', 2), { codec }))
  await stack.ready(assetId)
  t.equal((await stack.read(assetId)).posterUrl, null, 'a signed one has no open poster')
  const poster = await until(async () => {
    const { body } = await show(assetId, { visibility: 'public' })
    return body.poster === 'open' ? body : null
  })
  t.match(poster, { visibility: 'public', poster: 'open' })
  const { posterUrl } = await stack.read(assetId)
  const link = async () => (await fetch(posterUrl, { redirect: 'manual' })).headers.get('location') ?? ''
  const isOpen = async () => (await stack.store.list('video/open-posters/')).length === 1
  const image = await fetch(posterUrl)
  t.equal(image.headers.get('content-type'), 'image/jpeg')
  t.strictSame([...new Uint8Array(await image.arrayBuffer()).subarray(0, 3)], [0xff, 0xd8, 0xff])
  t.equal((await show(assetId, { visibility: 'unlisted' })).body.poster, 'open')
  for (const [visibility, state] of [
    ['signed', 'signed'],
    ['private', 'none'],
  ]) {
    const handedOut = await link()
    t.equal((await fetch(handedOut)).status, 200)
    t.match(await show(assetId, { visibility }), { body: { poster: state } })
    t.equal((await fetch(posterUrl)).status, 404)
    t.equal((await fetch(handedOut)).status, 404, 'a link to storage that somebody still holds is dead, too')
    t.notOk(await isOpen())
    t.equal((await stack.read(assetId)).posterUrl, null)
    await show(assetId, { visibility: 'public' })
    t.equal((await fetch(posterUrl)).status, 200)
  }
  await stack.store.stop()
  t.equal((await show(assetId, { visibility: 'signed' })).status, 503, 'who is not told that it is gone asks again')
  t.equal((await stack.read(assetId)).visibility, 'signed')
  t.equal((await fetch(posterUrl, { redirect: 'manual' })).status, 404)
  await stack.store.start()
  await until(async () => !(await isOpen()), { what: 'a worker removes it when storage is back', timeout: 30_000 })
})
