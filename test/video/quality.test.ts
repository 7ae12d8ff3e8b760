import t from 'tap'
import { newId } from '#lib/ids.ts'
import { sql } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import { signPlaybackToken, signViewToken } from '../../ingress/playback/urls.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { pruneArea } from '../support/prune.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { db, orgId } = stack

/** An asset that can be played: what it shows does not matter here. */
async function playable(): Promise<string> {
  const facts = { title: null, external_ref: null, filename: null, mime_type: null, watermark: null, bytes: 1 }
  const { id } = await assets.insert(db, { id: newId(), org_id: orgId, ...facts, profile: 'standard_vod' })
  const package_id = newId()
  await playlists.insertMany(db, id, package_id, [{ name: 'master.m3u8', body: '#EXTM3U\n' }])
  await db.query(sql.typeAlias('void')`
    update video.assets set status = 'ready', stage = 'ready', package_id = ${package_id} where id = ${id}`)
  return id
}

const mint = async (assetId: string) =>
  (await stack.ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body: {} })).body
const collect = (body: object) => stack.ingress.ask('POST /v1/stream/collect', { body })
const quality = async (assetId: string, query = '') =>
  (await stack.ask(`GET /v1/stream/assets/${assetId}/quality${query}`)).body
const totals = async (assetId: string) => (await quality(assetId)).totals
const view = (token: string, viewId = 'view_0001') => ({ token, viewId, sequence: 1, playSeconds: 10 })

t.test('a view is its newest beacon, however late, repeated or out of order they come', async (t) => {
  const asset = await playable()
  const { token } = await mint(asset)
  const first = {
    ...view(token),
    startupSeconds: 0.45,
    meanBitrate: 1_000_000,
    decodedFrames: 300,
    droppedFrames: 3,
    rebufferSeconds: 2,
    rebuffers: 1,
    switches: 1,
    errors: [{ code: 'timeout' }],
  }
  const second = {
    ...first,
    sequence: 2,
    playSeconds: 30,
    meanBitrate: 2_000_000,
    decodedFrames: 900,
    droppedFrames: 9,
    errors: [
      { code: 'timeout', count: 3 },
      { code: 'decode', fatal: true },
    ],
  }
  const answer = await collect(first)
  t.equal(answer.status, 204)
  t.equal(answer.text, '')
  await Promise.all([second, second, first, second].map(collect))
  await collect(first)
  t.match(await totals(asset), {
    views: 1,
    playSeconds: 30,
    meanBitrate: 2_000_000,
    rebufferRatio: 0.0625,
    rebuffers: 1,
    droppedFrameRatio: 0.01,
    errorRate: 1,
    switches: 1,
  })
  const { errors, hours } = await quality(asset)
  t.strictSame(errors, [
    { code: 'timeout', fatal: false, count: 3 },
    { code: 'decode', fatal: true, count: 1 },
  ])
  t.equal(
    hours.reduce((sum: number, hour: { views: number }) => sum + hour.views, 0),
    1,
  )
})

t.test('views of many viewers add up, and their start-up times make quantiles', async (t) => {
  const [asset, other] = [await playable(), await playable()]
  const { token } = await mint(asset)
  const { token: elsewhere } = await mint(other)
  const starts = Array.from({ length: 90 }, (_, i) => (i < 80 ? 0.35 : 5))
  const answers = await Promise.all([
    ...starts.map((startupSeconds, i) => collect({ ...view(token, `viewer-${i}`), startupSeconds })),
    collect(view(elsewhere)),
  ])
  t.ok(answers.every(({ status }) => status === 204))
  const sums = await totals(asset)
  t.match(sums, { views: 90, playSeconds: 900, errorRate: 0, rebufferRatio: 0, droppedFrameRatio: null })
  t.ok(sums.startupP50Seconds > 0.3 && sums.startupP50Seconds <= 0.4, sums.startupP50Seconds)
  t.ok(sums.startupP95Seconds > 4 && sums.startupP95Seconds <= 6, sums.startupP95Seconds)
  t.match(await totals(other), { views: 1, startupP50Seconds: null })
})

t.test('a page on any origin may send it, as sendBeacon does', async (t) => {
  const asset = await playable()
  const { token } = await mint(asset)
  const headers = { 'content-type': 'text/plain;charset=UTF-8', origin: 'https://shop.example' }
  const raw = JSON.stringify(view(token))
  const answer = await stack.ingress.ask('POST /v1/stream/collect', { raw, headers })
  t.equal(answer.status, 204)
  t.equal(answer.headers.get('access-control-allow-origin'), '*')
  const preflight = await stack.ingress.ask('OPTIONS /v1/stream/collect', { headers })
  t.equal(preflight.headers.get('access-control-allow-origin'), '*')
  t.equal((await totals(asset)).views, 1)
})

t.test('every field at fault is named, and nothing of the body counts', async (t) => {
  const { token } = await mint(await playable())
  const reply = await collect({
    token,
    viewId: 'no spaces',
    sequence: -1,
    playSeconds: 1e9,
    meanBitrate: '3',
    droppedFrames: 0.5,
    errors: [{ code: 'gremlins' }],
    mood: 'good',
  })
  t.equal(reply.status, 400)
  const named = ['droppedFrames', 'errors.0.code', 'meanBitrate', 'mood', 'playSeconds', 'sequence', 'viewId']
  t.strictSame(
    fieldsOf(reply),
    named.map((field) => `body.${field}`),
  )
  t.notMatch(reply.text, token)
  const huge = await collect({ ...view(token), viewId: 'x'.repeat(9000) })
  t.equal(huge.status, 413)
})

t.test('only a genuine playback token counts, one that is just over too', async (t) => {
  const asset = await playable()
  const { token, sessionId } = await mint(asset)
  for (const forged of [`${token}x`, 'nonsense', stack.key]) {
    const reply = await collect(view(forged))
    t.match(reply, { status: 403, body: { error: { code: 'token_invalid' } } })
  }
  const until = (secondsFromNow: number) =>
    signPlaybackToken(
      { sid: sessionId, aid: asset, host: '127.0.0.1', exp: Math.floor(Date.now() / 1000) + secondsFromNow },
      signingSecret,
    )
  t.equal((await collect(view(until(-30), 'just-over'))).status, 204)
  t.equal((await totals(asset)).views, 1, 'over for half a minute')
  t.equal((await collect(view(until(-3600), 'long-over'))).status, 204)
  t.equal((await totals(asset)).views, 1, 'over for an hour')

  await stack.ask(`DELETE /v1/stream/assets/playback-sessions/${sessionId}`)
  await collect(view(token, 'just-revoked'))
  t.equal((await totals(asset)).views, 2)
  await db.query(sql.typeAlias('void')`
    update video.playback_sessions set revoked_at = now() - interval '1 hour' where id = ${sessionId}`)
  t.equal((await collect(view(token, 'long-revoked'))).status, 204)
  t.equal((await totals(asset)).views, 2)
})

t.test('a view without a session counts for an open asset alone, and its token plays nothing', async (t) => {
  const asset = await playable()
  const exp = Math.floor(Date.now() / 1000) + 60
  const token = signViewToken({ sid: newId(), aid: asset, host: '127.0.0.1', exp }, signingSecret)
  await collect(view(token))
  t.equal((await totals(asset)).views, 0)
  await stack.ask(`PATCH /v1/stream/assets/${asset}`, { body: { visibility: 'unlisted' } })
  await collect(view(token))
  t.equal((await totals(asset)).views, 1)
  t.equal((await stack.ask(`GET /v1/stream/play/${token}/master.m3u8`)).status, 403)
})

t.test('one session makes no end of views', async (t) => {
  const asset = await playable()
  const { token } = await mint(asset)
  for (let i = 0; i < 130; i++) await collect(view(token, `reload-${i}`))
  t.equal((await totals(asset)).views, 100)
  await collect({ ...view(token, 'reload-0'), sequence: 2, playSeconds: 20 })
  t.equal((await totals(asset)).playSeconds, 1010, 'those there are go on')
})

t.test('quality is read for a span, by those who own the asset', async (t) => {
  const asset = await playable()
  await collect(view((await mint(asset)).token))
  await db.query(sql.typeAlias('void')`
    update video.quality_hours set at = '2026-03-01T10:00:00Z' where asset_id = ${asset}`)
  t.strictSame((await quality(asset)).hours, [], 'the last week unless asked')
  const span = '?from=2026-03-01T10:30:00Z&to=2026-03-01T11:00:00%2B00:00'
  t.match(await quality(asset, span), {
    from: '2026-03-01T10:00:00.000Z',
    hours: [{ at: '2026-03-01T10:00:00.000Z', views: 1, playSeconds: 10 }],
  })
  t.strictSame((await quality(asset, '?from=2026-03-01T11:00:00Z&to=2026-03-02T00:00:00Z')).hours, [])
  const bad = async (query: string) => fieldsOf(await stack.ask(`GET /v1/stream/assets/${asset}/quality${query}`))
  t.strictSame(await bad('?from=yesterday&to=today'), ['query.from', 'query.to'])
  t.strictSame(await bad('?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z'), ['query.from'])
  t.strictSame(await bad('?from=2025-03-02T00:00:00Z&to=2026-03-01T00:00:00Z'), ['query.from'])

  const { keys } = await testOrg(db, ['stream:read'])
  const path = `GET /v1/stream/assets/${asset}/quality`
  t.equal((await stack.ask(path, { key: keys.main })).status, 404)
  t.equal((await stack.ingress.ask(path)).status, 401)
})

t.test('views are forgotten when no beacon of theirs counts any more, their quality after a year', async (t) => {
  const asset = await playable()
  await collect(view((await mint(asset)).token))
  const held = async () =>
    await db.oneFirst(sql.typeAlias('count')`select count(*) from video.views where asset_id = ${asset}`)
  const prune = () => pruneArea(db, 'video')
  await prune()
  t.equal(await held(), 1)
  await db.query(sql.typeAlias('void')`
    update video.views set created_at = now() - interval '26 hours' where asset_id = ${asset}`)
  await prune()
  t.equal(await held(), 0)
  t.equal((await totals(asset)).views, 1)
  await db.query(sql.typeAlias('void')`
    update video.quality_hours set at = now() - interval '401 days' where asset_id = ${asset}`)
  await prune()
  const left = sql.typeAlias('count')`select count(*) from video.quality_hours where asset_id = ${asset}`
  t.equal(await db.oneFirst(left), 0)
})
