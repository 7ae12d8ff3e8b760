import { join } from 'node:path'
import t from 'tap'
import { newId } from '#lib/ids.ts'
import { signToken } from '#lib/tokens.ts'
import { openPool, sql } from '#sql/db.ts'
import { mint, type Playback } from '../../ops/video-client.ts'
import { film, numbered } from '../media/sources.ts'
import { send } from '../object-store/fixture.ts'
import { decodeErrors, fetchText, frameCounts, mediaPlaylist, playlistsOf } from '../support/hls.ts'
import { fieldsOf, testOrg } from '../support/ingress.ts'
import { ownDomain } from '../support/own-domain.ts'
import { isWhole } from '../support/sample.ts'
import { until } from '../support/until.ts'
import { signingSecret, videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const { ask, db, api } = stack
const port = Number(new URL(stack.ingress.url).port)
/** Sends a path as it is, under any Host. */
const raw = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  send({ port }, { method, path, headers })
const pathOf = (url: string) => new URL(url).pathname
const file = (name: string) => join(stack.data, name)
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '20', '-pix_fmt', 'yuv420p']
const session = (assetId: string, body: unknown = {}) =>
  ask(`POST /v1/stream/assets/${assetId}/playback-sessions`, { body })
const show = (assetId: string, visibility: string) =>
  ask(`PATCH /v1/stream/assets/${assetId}`, { body: { visibility } })

/** The first media playlist and its first segment, as a player finds them. */
async function firstOf(hlsUrl: string) {
  const [playlist = ''] = await playlistsOf(hlsUrl)
  const { segments } = await mediaPlaylist(playlist)
  return { playlist, segment: segments[0] ?? '' }
}

const asset = await stack.send(await film(file('a.mp4'), numbered('10', 8), { codec }))
const other = await stack.send(await film(file('b.mp4'), numbered('10', 2), { codec }))
const intake = await stack.startWorkers({}, 'core,media-intake')

t.test('a viewer who began on the source goes on with it when the ladder takes its place', async (t) => {
  await until(async () => (await stack.read(asset)).playable)
  const { hlsUrl } = await mint(api, asset)
  const early = await firstOf(hlsUrl)
  t.match(early.playlist, /\/source\.m3u8$/)
  await intake.stop()
  await stack.startWorkers()
  await stack.ready(asset)
  await stack.ready(other)
  const late = await firstOf(hlsUrl)
  t.match(late.playlist, /\/180p\.m3u8$/, 'who begins now gets the ladder')
  const { segments } = await mediaPlaylist(early.playlist)
  t.ok(segments.length > 0)
  for (const url of segments) t.equal((await fetch(url)).status, 200)
  t.strictSame(await frameCounts(early.playlist), [80])
})

t.test('key frames for scrubbing and pictures for the seek bar lie behind the same token', async (t) => {
  const { hlsUrl, sessionId } = await mint(api, asset)
  const master = await fetchText(hlsUrl)
  const [, keys = ''] = /I-FRAME-STREAM-INF:.*URI="([^"]+)"/.exec(master) ?? []
  const [, track = ''] = /DATA-ID="millrace.thumbnails",VALUE="([^"]+)"/.exec(master) ?? []
  const urls = [keys, track].map((uri) => new URL(uri, hlsUrl).href)
  const [keysUrl = '', trackUrl = ''] = urls
  t.strictSame(await frameCounts(keysUrl), [4], 'one of each 2 s, by their byte ranges through redirects')
  t.equal(await decodeErrors(keysUrl), '')
  const answer = await fetch(trackUrl)
  t.equal(answer.headers.get('content-type'), 'text/vtt; charset=utf-8')
  const [sheet = ''] = (await answer.text()).match(/^\S+(?=#xywh=0,0,)/m) ?? []
  const sheetUrl = new URL(sheet, trackUrl).href
  t.equal((await fetch(sheetUrl)).headers.get('content-type'), 'image/jpeg')
  const beside = new URL(track, new URL(keys, hlsUrl)).href
  t.equal((await fetch(beside)).status, 200, 'and beside the playlists of the package')
  await ask(`DELETE /v1/stream/assets/playback-sessions/${sessionId}`)
  for (const url of [...urls, sheetUrl, beside]) t.equal((await fetch(url)).status, 403)
})

t.test('a session has exactly the fields of the contract', async (t) => {
  const { status, body } = await session(asset, { viewerId: 'user-17' })
  t.equal(status, 201)
  t.strictSame(Object.keys(body).sort(), ['durationSeconds', 'embedUrl', 'expiresAt', 'hlsUrl', 'sessionId', 'token'])
  t.equal(body.durationSeconds, 8)
  const seconds = (Date.parse(body.expiresAt) - Date.now()) / 1000
  t.ok(seconds > 3590 && seconds <= 3601, 'an hour by default')
  t.ok(body.hlsUrl.startsWith(`${stack.ingress.url}/`), 'on the host it was asked on, by default')
  t.notMatch(body.token, /user-17/)
})

t.test('every bad field of a session is named', async (t) => {
  t.equal((await session(asset, { expiresInSeconds: 60 })).status, 201)
  t.equal((await session(asset, { expiresInSeconds: 86_400 })).status, 201)
  for (const expiresInSeconds of [59, 86_401, 60.5, '60', null])
    t.strictSame(fieldsOf(await session(asset, { expiresInSeconds })), ['body.expiresInSeconds'])
  for (const host of ['', 'a b', 'http://x', 'x:80', 'x/y', '-x', 'a..b', `${'a'.repeat(64)}.b`, 7])
    t.strictSame([...new Set(fieldsOf(await session(asset, { host })))], ['body.host'], String(host))
  t.strictSame(fieldsOf(await session(asset, { maxConcurrent: 1, viewerId: '' })), ['body.viewerId'])
})

t.test('only the asset’s organisation may mint and revoke', async (t) => {
  const { keys } = await testOrg(db, ['stream:read', 'stream:write'])
  const path = `POST /v1/stream/assets/${asset}/playback-sessions`
  t.equal((await ask(path, { key: keys.main, body: {} })).status, 404)
  t.equal((await session(crypto.randomUUID())).status, 404)
  const { sessionId, hlsUrl } = await mint(api, asset)
  const revoke = `DELETE /v1/stream/assets/playback-sessions/${sessionId}`
  t.equal((await ask(revoke, { key: keys.main })).status, 404)
  t.equal((await fetch(hlsUrl)).status, 200)
  const reader = await testOrg(db, ['stream:read'])
  t.equal((await ask(path, { key: reader.keys.main, body: {} })).status, 403)
})

t.test('a token works on the host it was minted for and on no other', async (t) => {
  await ownDomain(db, stack.orgId, 'videos.example.com')
  const { hlsUrl } = await mint(api, asset, { host: 'Videos.Example.com' })
  t.equal(new URL(hlsUrl).origin, 'https://videos.example.com', 'the links lie on that host')
  const path = pathOf(hlsUrl)
  for (const host of ['videos.example.com', 'VIDEOS.example.COM', 'videos.example.com:8443'])
    t.equal((await raw(path, { host })).status, 200, host)
  const strangers = [
    '127.0.0.1',
    'example.com',
    'evil.example.com',
    'videos.example.com.evil.test',
    'videos.example.co',
  ]
  for (const host of strangers) {
    const answer = await raw(path, { host })
    t.equal(answer.status, 403, host)
    t.equal(JSON.parse(answer.body).error.code, 'host_mismatch')
  }
  const forwarded = { host: '127.0.0.1', 'x-forwarded-host': 'videos.example.com' }
  t.equal((await raw(path, forwarded)).status, 403, 'a header that no proxy of ours has set counts for nothing')
  for (const host of ['a b', 'x:y:z', '[', '%', 'videos.example.com@evil.test'])
    t.ok([400, 403].includes((await raw(path, { host })).status), `${host} is no fault of ours`)
  const own = await mint(api, asset)
  for (const url of Object.values(await firstOf(own.hlsUrl)))
    t.equal((await raw(pathOf(url), { host: 'elsewhere.test' })).status, 403, 'below the master playlist too')
})

t.test('forged, altered, expired and foreign tokens are refused', async (t) => {
  const { token, sessionId } = await mint(api, asset)
  const [body = '', mac = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  const make = (changes: object, purpose = 'video.vod', secret = signingSecret) =>
    signToken(purpose, { ...claims, ...changes }, secret)
  const status = async (text: string) => (await raw(`/v1/stream/play/${text}/master.m3u8`)).status
  t.equal(await status(make({})), 200, 'what the others are compared with')
  const swapped = Buffer.from(JSON.stringify({ ...claims, aid: other })).toString('base64url')
  const bad = {
    'another secret': make({}, 'video.vod', 'x'.repeat(32)),
    'a live token': make({}, 'video.live'),
    'over by its claim': make({ exp: Date.now() / 1000 - 1 }),
    'no expiry': make({ exp: undefined }),
    'another asset with this session': make({ aid: other }),
    'no such session': make({ sid: crypto.randomUUID() }),
    'altered claims': `${swapped}.${mac}`,
    'no signature': body,
    'an empty signature': `${body}.`,
    'one character off': `${body}.${mac.startsWith('A') ? 'B' : 'A'}${mac.slice(1)}`,
    'not a token': 'x',
  }
  for (const [what, text] of Object.entries(bad)) t.equal(await status(text), 403, what)
  t.equal(await status('x'.repeat(1001)), 400)
  await db.query(sql.typeAlias('void')`
    update video.playback_sessions set expires_at = now() - interval '1 second' where id = ${sessionId}`)
  t.equal(await status(token), 403, 'over by its row')
})

t.test('a token opens its own asset’s packages and no other’s', async (t) => {
  const [mine, theirs] = await Promise.all([mint(api, asset), mint(api, other)])
  for (const url of Object.values(await firstOf(theirs.hlsUrl))) {
    const [, , , , , packageId, name] = pathOf(url).split('/')
    for (const folder of [packageId, newId()]) {
      const foreign = `${stack.ingress.url}/v1/stream/play/${mine.token}/${folder}/${name}`
      t.equal((await fetch(foreign, { redirect: 'manual' })).status, 404, `${name} is refused here, not in storage`)
    }
  }
})

t.test('a revoked session ends with the very next request, in every process', async (t) => {
  const pool = await openPool(stack.databaseUrl)
  t.teardown(() => pool.end())
  const second = await stack.another(pool)
  const viewer = await mint(api, asset)
  const { playlist, segment } = await firstOf(viewer.hlsUrl)
  const poster = viewer.hlsUrl.replace('master.m3u8', 'poster.jpg')
  const urls = [viewer.hlsUrl, playlist, segment, poster].flatMap((url) => [url, second.url + pathOf(url)])
  const statuses = () => Promise.all(urls.map(async (url) => (await fetch(url, { redirect: 'manual' })).status))
  t.strictSame(await statuses(), [200, 200, 200, 200, 302, 302, 302, 302])
  const revoked = await ask(`DELETE /v1/stream/assets/playback-sessions/${viewer.sessionId}`)
  t.match(revoked, { status: 200, body: { sessionId: viewer.sessionId, revoked: true } })
  t.strictSame(
    await statuses(),
    urls.map(() => 403),
  )
  t.equal(
    (await ask(`DELETE /v1/stream/assets/playback-sessions/${viewer.sessionId}`)).status,
    200,
    'again is the same',
  )
  t.equal((await fetch((await mint(api, asset)).hlsUrl)).status, 200, 'other viewers play on')
})

t.test('visibility decides who plays, from the next request on', async (t) => {
  const { hlsUrl } = await mint(api, asset)
  const signed = await firstOf(hlsUrl)
  const open = `${stack.ingress.url}/v1/stream/open/${asset}/master.m3u8`
  const statusOf = async (url: string) => (await fetch(url, { redirect: 'manual' })).status
  const expectations = [
    ['signed', 200, 404],
    ['public', 200, 200],
    ['unlisted', 200, 200],
    ['private', 403, 404],
    ['signed', 200, 404],
  ] as const
  for (const [visibility, withToken, without] of expectations) {
    t.match(await show(asset, visibility), { status: 200, body: { id: asset, visibility } })
    t.equal(await statusOf(hlsUrl), withToken, `${visibility}, with a token`)
    t.equal(await statusOf(signed.segment), withToken === 200 ? 302 : 403, `${visibility}, a segment with a token`)
    t.equal(await statusOf(open), without, `${visibility}, without a token`)
    const below = signed.segment.replace(/play\/[^/]+/, `open/${asset}`)
    t.equal(await statusOf(below), without === 200 ? 302 : 404, `${visibility}, a segment without a token`)
    const poster = open.replace('master.m3u8', 'poster.jpg')
    t.equal(await statusOf(poster), without === 200 ? 302 : 404, `${visibility}, the poster without a token`)
    const minted = await session(asset)
    if (visibility === 'private') t.match(minted, { status: 409, body: { error: { code: 'asset_private' } } })
    else t.equal(minted.status, 201)
  }
})

t.test('of viewers who come at once, each has a token of its own or is refused alone', async (t) => {
  const { keys } = await testOrg(db, ['stream:write'])
  const hosts = ['127.0.0.1', 'localhost', 'stranger.example']
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, i) => {
      if (i % 10 === 3) return session(crypto.randomUUID())
      if (i % 10 === 7)
        return stack.ingress.ask(`POST /v1/stream/assets/${other}/playback-sessions`, { key: keys.main, body: {} })
      return session(i % 2 === 0 ? asset : other, { host: hosts[i % hosts.length] })
    }),
  )
  t.strictSame(
    replies.map(({ status }) => status),
    replies.map((_, i) => (i % 10 === 3 || i % 10 === 7 ? 404 : i % 3 === 2 ? 400 : 201)),
  )
  const minted = replies.map(({ body }, i) => ({ body, i })).filter(({ body }) => body.token)
  t.equal(new Set(minted.map(({ body }) => body.sessionId)).size, 21)
  t.ok(minted.every(({ body, i }) => new URL(body.hlsUrl).hostname === hosts[i % hosts.length]))
  t.ok(minted.every(({ body, i }) => body.durationSeconds === (i % 2 === 0 ? 8 : 2)))
})

t.test('odd names reach nothing', async (t) => {
  const { token, hlsUrl } = await mint(api, asset)
  const packageId = pathOf((await firstOf(hlsUrl)).playlist).split('/')[5]
  const up = ['..', '%2e%2e', '..%2f..%2fx.mp4', '%2e%2e%2fmaster.m3u8', '....//x.mp4', '..%5cx.mp4']
  const odd = [
    '',
    '.',
    'x.ts',
    'master.m3u8%00',
    'master.m3u8%0a',
    'a%20b.mp4',
    'x.mp4?',
    '%',
    'x.mp4%2f',
    'embed.html',
  ]
  for (const name of [...up, ...odd]) {
    for (const folder of [token, `${token}/${packageId}`, `${token}/..`, `${token}/%2e%2e`]) {
      const { status } = await raw(`/v1/stream/play/${folder}/${name}`)
      if (name === 'x.mp4?' && folder.endsWith(`${packageId}`)) continue
      t.ok([400, 403, 404].includes(status), `${folder.slice(-12)}/${name}: ${status}`)
    }
  }
  t.equal((await raw(`/v1/stream/play/${token}/${packageId}/master.m3u8`)).status, 200)
  for (const id of ['x', '..', '%2e%2e', '0'.repeat(36)])
    t.ok([400, 404].includes((await raw(`/v1/stream/open/${id}/master.m3u8`)).status), id)
  for (const method of ['PUT', 'POST', 'DELETE']) t.equal((await raw(pathOf(hlsUrl), {}, method)).status, 405)
})

t.test('pages and players of any origin may read playlists, redirects and refusals', async (t) => {
  const { hlsUrl } = await mint(api, asset)
  const { playlist, segment } = await firstOf(hlsUrl)
  const headers = { origin: 'https://shop.example' }
  const refused = hlsUrl.replace(/play\/[^/]+/, 'play/x')
  for (const url of [hlsUrl, playlist, segment, refused]) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await fetch(url, { method, headers, redirect: 'manual' })
      t.equal(answer.headers.get('access-control-allow-origin'), '*', `${method} ${answer.status}`)
      t.equal(answer.headers.get('cache-control'), 'no-store', 'what a token opened is kept by nobody')
      t.equal(answer.status, { [segment]: 302, [refused]: 403 }[url] ?? 200)
    }
  }
  t.equal((await fetch(hlsUrl)).headers.get('content-type'), 'application/vnd.apple.mpegurl')
  const embedded = await fetch(hlsUrl.replace('master.m3u8', 'embed'))
  t.equal(embedded.headers.get('cache-control'), 'no-store', 'nor the page whose address holds the token')
  const preflight = { ...headers, 'access-control-request-method': 'GET', 'access-control-request-headers': 'range' }
  const allowed = await fetch(segment, { method: 'OPTIONS', headers: preflight })
  t.equal(allowed.status, 204)
  t.match(allowed.headers.get('access-control-allow-headers'), /range/)
})

t.test(
  'what needs no token may be kept by caches, for seconds; a refusal, and a page with a token in it, by none',
  async (t) => {
    const base = `${stack.ingress.url}/v1/stream/open/${asset}`
    const cachingOf = async (url: string) => (await fetch(url, { redirect: 'manual' })).headers.get('cache-control')
    await show(asset, 'public')
    const { playlist, segment } = await firstOf(`${base}/master.m3u8`)
    const all = [`${base}/master.m3u8`, playlist, segment, `${base}/poster.jpg`]
    for (const url of all) t.equal(await cachingOf(url), 'public, max-age=10', url)
    const redirect = await fetch(segment, { redirect: 'manual' })
    const seconds = Number(new URL(redirect.headers.get('location') ?? '').searchParams.get('X-Amz-Expires'))
    t.ok(seconds - 30 - 10 >= 60, 'a kept redirect still works for a minute')
    t.equal(await cachingOf(`${base}/embed`), 'no-store')
    t.match(await cachingOf(`${stack.ingress.url}/v1/stream/player/hls.min.js`), /^public, max-age=\d+$/)
    t.equal(await cachingOf(`${base}/none.m3u8`), 'no-store')
    await show(asset, 'signed')
    for (const url of all) t.equal(await cachingOf(url), 'no-store', `${url} is refused`)
  },
)

t.test('a segment is a short-lived link to its object, to be read alone', async (t) => {
  const { segment } = await firstOf((await mint(api, asset)).hlsUrl)
  const redirect = await fetch(segment, { redirect: 'manual' })
  const location = redirect.headers.get('location') ?? ''
  t.ok(location.startsWith(stack.store.url))
  t.ok(Number(new URL(location).searchParams.get('X-Amz-Expires')) <= 120)
  const part = await fetch(location, { headers: { range: 'bytes=0-7', origin: 'null' } })
  t.equal(part.status, 206)
  t.equal(part.headers.get('access-control-allow-origin'), '*')
  t.equal(part.headers.get('content-type'), 'video/mp4')
  t.match(part.headers.get('cache-control'), /immutable/)
  t.equal((await fetch(location, { method: 'PUT', body: 'x' })).status, 403)
  t.equal((await fetch(location.replace(/\/[^/?]+\?/, '/180p_init.mp4?'))).status, 403, 'for this object only')
  const minute = await Promise.all([fetch(segment, { redirect: 'manual' }), fetch(segment, { redirect: 'manual' })])
  t.equal(new Set(minute.map(({ headers }) => headers.get('location'))).size, 1, 'alike for all, so that caches help')
})

/** A thousand in a deep run. */
const viewers = isWhole ? 1000 : 100

t.test('many viewers at once are answered, each by its own right', async (t) => {
  const sessions: Playback[] = await Promise.all(Array.from({ length: 20 }, () => mint(api, asset)))
  const [gone] = sessions
  await ask(`DELETE /v1/stream/assets/playback-sessions/${gone?.sessionId}`)
  const asked = Array.from({ length: viewers }, (_, i) => sessions[i % 20] as Playback)
  const statuses = await Promise.all(asked.map(async (one) => (await fetch(one.hlsUrl)).status))
  t.ok(asked.every((one, i) => statuses[i] === (one === gone ? 403 : 200)))
})
