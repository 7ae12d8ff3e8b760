import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { until } from '../support/until.ts'
import { enginesOn, videoStack } from '../support/video-stack.ts'
import { breaches, breachesSince, type MediaPlaylist } from './hls-rules.ts'
import { decodedFrames, onAir, recorded, testOrigin } from './on-air.ts'

const stack = await videoStack(t)
const file = (name: string) => join(stack.data, name)
const [origin, short, long, holed] = await Promise.all([
  testOrigin(t, stack),
  recorded(file('short.flv'), 4),
  recorded(file('long.flv'), 60),
  recorded(file('holed.flv'), 6, "select='not(between(t,2.2,3.7))'", false),
])
const asLive = ['-re', '-stream_loop', '-1']

t.test('a broadcast keeps the rules of low-latency HLS from one blocked reload to the next', async (t) => {
  const air = await onAir(stack, origin, { input: short, inputOptions: asLive })
  const seen: MediaPlaylist[] = [await air.playlist()]
  for (let reload = 0; reload < 12; reload++) {
    const { growing, partTarget } = seen.at(-1) as MediaPlaylist
    t.ok(partTarget >= 0.2 && partTarget < 0.235, 'parts of six frames')
    seen.push(await air.playlist(`?_HLS_msn=${growing.msn}&_HLS_part=${growing.parts.length}`))
    const { msn, parts } = (seen.at(-1) as MediaPlaylist).growing
    t.ok(msn > growing.msn || parts.length > growing.parts.length, 'what was waited for is there')
  }
  t.strictSame(seen.flatMap(breaches), [])
  t.strictSame(
    seen.slice(1).flatMap((playlist, i) => breachesSince(seen[i] as MediaPlaylist, playlist)),
    [],
  )
  t.match(air.states, ['connecting', 'live'])
  t.match(air.live.stats(), { state: 'live', viewers: 1, video: { codec: /^avc1\./, width: 160, height: 90 } })

  const { hint } = seen.at(-1) as MediaPlaylist
  const hinted = await air.get(hint?.URI ?? '')
  t.equal(hinted.status, 200, 'a hinted part is waited for')
  t.match(hinted.headers.get('cache-control'), /immutable/)
  t.equal(hinted.headers.get('access-control-allow-origin'), '*')

  const [packager] = await enginesOn(short)
  process.kill(packager as number, 'SIGKILL')
  const again = await until(async () => {
    const playlist = await air.playlist()
    return [...playlist.segments, playlist.growing].some(({ discontinuity }) => discontinuity) ? playlist : null
  })
  t.strictSame(breachesSince(seen.at(-1) as MediaPlaylist, again), [], 'the numbers go on after a killed packager')
  t.ok(
    air.parts.some(({ run, sequence }) => run === 1 && sequence === 0),
    'its parts begin anew',
  )

  await air.live.stop()
  const over = await air.playlist()
  const waiting = air.get(`live.m3u8?_HLS_msn=${over.growing.msn + 1}`)
  await until(
    async () => (await stack.ask(`DELETE /v1/stream/assets/playback-sessions/${air.sessionId}`)).status === 200,
  )
  const refused = await waiting
  t.equal(refused.status, 403, 'a request that waits is refused when its session is revoked')
  t.match(await refused.json(), { error: { code: 'token_revoked' } })
  t.equal((await air.get('index.m3u8')).status, 403)
})

t.test('viewers go back as far as the DVR reaches, and updates leave out what they know', async (t) => {
  const air = await onAir(stack, origin, { input: long, dvrSeconds: 3600 })
  await until(() => air.states.includes('ended'))
  const whole = await air.playlist()
  t.strictSame(breaches(whole), [])
  t.equal(whole.segments.length, 31, 'the first is short, so that players can begin')
  const update = await air.playlist('?_HLS_skip=YES')
  t.strictSame(breaches(update), [])
  t.ok(update.skipped >= 17 && update.skipped + update.segments.length === 31, `${update.skipped} are skipped`)
  t.strictSame(update.segments.at(0)?.uri, whole.segments[update.skipped]?.uri)
  const [, first] = whole.segments
  const oldest = await air.get(first?.uri ?? '')
  t.equal(oldest.status, 200, 'an old segment comes from disk')
  const init = await (await air.get(first?.map ?? '')).bytes()
  await writeFile(file('oldest.mp4'), Buffer.concat([init, await oldest.bytes()]))
  t.equal(await decodedFrames(file('oldest.mp4')), 60)
  await writeFile(file('all.mp4'), Buffer.concat([air.parts[0]?.init ?? init, ...air.parts.map(({ data }) => data)]))
  t.equal(await decodedFrames(file('all.mp4')), 1800, 'every frame is passed on for the recording')
  const zipped = await air.get('live.m3u8')
  t.equal(zipped.headers.get('content-encoding'), 'gzip')
  await air.live.stop({ ended: true })
  t.equal((await air.playlist()).ended, true)
})

t.test('what was lost on the way is a gap, and then the broadcast goes on', async (t) => {
  const air = await onAir(stack, origin, { input: holed })
  await until(() => air.states.includes('ended'))
  const playlist = await air.playlist()
  const gaps = playlist.segments.filter(({ gap }) => gap)
  t.equal(gaps.length, 1)
  t.ok((gaps[0]?.duration ?? 0) > 1 && (gaps[0]?.duration ?? 0) < 1.6)
  t.strictSame(breaches(playlist), [])
})

t.test('nobody gets in without a token for that channel, nor out of its files', async (t) => {
  const air = await onAir(stack, origin, { input: holed })
  const other = await onAir(stack, origin, { input: holed })
  await until(() => air.states.includes('ended'))
  t.equal((await fetch(`${origin.url}/${air.channelId}/index.m3u8`)).status, 403, 'nor at the worker itself')
  const ask = async (path: string) => (await stack.ask(`GET /v1/stream${path}`)).status
  t.equal(await ask(`/live/play/${air.token.slice(0, -2)}xx/index.m3u8`), 403)
  t.equal(await ask(`/play/${air.token}/master.m3u8`), 403, 'a live token opens no asset')
  t.equal(await ask(`/live/hls/${air.channelId}/index.m3u8?token=${other.token}`), 403)
  t.equal(await ask(`/live/play/${air.token}/..%2f${other.channelId}%2findex.m3u8`), 400)
  const named = await air.get('live.m3u8?_HLS_part=1')
  t.equal(named.status, 400, 'a part without its segment')
  t.match(await named.json(), { error: { details: [{ field: 'query._HLS_msn' }] } })
  t.equal((await air.get('live.m3u8?_HLS_msn=x')).status, 400)
  t.equal((await air.get('live.m3u8?_HLS_msn=99999999999')).status, 400, 'too far ahead')
  t.equal((await air.get('none-p9999.m4s')).status, 404)
  const entry = `${stack.ingress.url}/v1/stream/live/hls/${air.channelId}/index.m3u8?token=${air.token}`
  t.match(await (await fetch(entry)).text(), /BANDWIDTH=\d+,CODECS="avc1\.[^"]+".*\nlive\.m3u8\n$/)
})
