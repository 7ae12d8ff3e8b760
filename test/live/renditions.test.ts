import t from 'tap'
import { until } from '../support/until.ts'
import type { MediaPlaylist } from './hls-rules.ts'
import { bareOrigin, encoders, shapeOf } from './packaged.ts'

const origin = await bareOrigin(t)
const [plain, long] = await Promise.all([origin.recorded('plain.flv', 4), origin.recorded('long.flv', 20)])

t.test('renditions are made of the same pictures, cut into the same parts', async (t) => {
  const bare = origin.start({ input: plain, inputOptions: [] })
  const channel = origin.start({ input: plain, inputOptions: [], renditions: [720, 360] })
  const { live, get, playlist, probed } = channel
  await until(() => live.stats().state === 'ended' && bare.live.stats().state === 'ended', { timeout: 60_000 })
  const master = await (await get('index.m3u8')).text()
  t.match(master, /RESOLUTION=160x480[^\n]*\nlive\.m3u8\n/)
  t.match(master, /BANDWIDTH=930001,CODECS="avc1\.4D401F,mp4a\.40\.2",RESOLUTION=120x360[^\n]*\nlive-360\.m3u8\n/)
  t.notMatch(master, '720', 'nothing is made higher than it came')
  const [own, lower] = [await playlist('live.m3u8'), await playlist('live-360.m3u8')]
  const keys = ({ segments }: MediaPlaylist) => segments.map(({ parts }) => parts.map((part) => part.independent))
  t.same([shapeOf(lower), keys(lower)], [shapeOf(own), keys(own)])
  t.equal(lower.partTarget, own.partTarget)
  const [first, second] = [await probed(own.segments), await probed(lower.segments)]
  t.same([first.stderr, second.stderr, first.size, second.size], ['', '', '160x480', '120x360'])
  t.same(second.pictures, first.pictures, 'at the same times')
  t.same(second.sound, first.sound)
  t.same(
    channel.parts.map(({ data }) => data.length),
    bare.parts.map(({ data }) => data.length),
    'what is recorded and sent on is the same without',
  )
  const report = /#EXT-X-RENDITION-REPORT:URI="live-360\.m3u8",LAST-MSN=\d+,LAST-PART=\d+/
  t.match(await (await get('live.m3u8')).text(), report)
  t.equal((await get('live-720.m3u8')).status, 404)
})

t.test('where the transcoder is killed the source goes on, and the rendition behind a gap', async (t) => {
  const channel = origin.start({ input: long, renditions: [360] })
  const { live, playlist, parts, probed } = channel
  await until(async () => (await encoders('transcoder')).length > 0 && live.stats().state === 'live', {
    timeout: 30_000,
  })
  await until(async () => (await playlist('live-360.m3u8')).segments.length > 0, { timeout: 30_000 })
  for (const pid of await encoders('transcoder')) process.kill(pid, 'SIGKILL')
  await until(() => live.stats().transcode === 'failed', { every: 5 })
  const gaps = ({ segments }: MediaPlaylist) => segments.map(({ gap }) => gap)
  const lower = await until(
    async () => {
      const now = await playlist('live-360.m3u8')
      return gaps(now).includes(true) && gaps(now).at(-1) === false && now
    },
    { timeout: 30_000, what: 'the rendition goes on' },
  )
  t.equal(live.stats().transcode, 'on')
  const own = await playlist('live.m3u8')
  t.notOk(gaps(own).includes(true))
  t.same(new Set(parts.map(({ run }) => run)).size, 1, 'the source has not begun anew')
  const many = lower.segments.length
  t.same(shapeOf(lower), shapeOf(own).slice(0, many))
  const behind = await probed(lower.segments.slice(gaps(lower).lastIndexOf(true) + 1))
  t.equal(behind.stderr, '')
  await live.stop({ ended: true })
})

t.test('a clock that leaps with every picture starts no more transcoders than two at once', async (t) => {
  const input = await origin.pictures('leaps.flv', '1/3', 20)
  const { live, parts } = origin.start({ input, inputOptions: [], renditions: [360] })
  let most = 0
  await until(
    async () => {
      most = Math.max(most, (await encoders('transcoder')).length)
      return live.stats().state === 'ended'
    },
    { timeout: 60_000, every: 20 },
  )
  t.ok(new Set(parts.map(({ run }) => run)).size > 15, 'each is a run of its own')
  t.ok(most <= 2, `${most} at once`)
})

t.test('of more pictures a second than a core is reserved for none is made', async (t) => {
  const input = await origin.pictures('fast.flv', '120', 480)
  const { live } = origin.start({ input, inputOptions: [], renditions: [360] })
  await until(() => live.stats().state === 'ended', { timeout: 60_000 })
  t.equal(live.stats().transcode, 'unavailable')
})

t.test('while the publisher is away a slate is shown, and nothing encodes it', async (t) => {
  const wish = { renditions: [360], slate: true } as const
  const first = origin.start({ ...wish, input: plain, inputOptions: [] })
  const { channelId, playlist, probed } = first
  await until(() => first.live.stats().state === 'ended', { timeout: 60_000, what: 'the publisher is gone' })
  const breaksIn = ({ segments }: MediaPlaylist) =>
    segments.flatMap(({ discontinuity }, i) => (discontinuity ? [i] : []))
  const shows = (breaks: number) =>
    until(
      async () => {
        const [own, lower] = [await playlist('live.m3u8'), await playlist('live-360.m3u8')]
        const seen = [own, lower].every(
          (one) => breaksIn(one).length === breaks && (breaksIn(one)[0] ?? 0) + 1 < one.segments.length,
        )
        return seen && { own, lower }
      },
      { timeout: 30_000, what: `there are ${breaks} discontinuities` },
    )
  await shows(1)
  t.same(await encoders('any'), [])
  const made = first.parts.length
  const second = origin.start({ ...wish, channelId, input: long })
  const { own, lower } = await shows(2)
  for (const { segments } of [own, lower]) {
    const others = segments.map(({ map }, i) => i > 0 && map !== segments[i - 1]?.map)
    t.same(
      segments.map(({ discontinuity }) => discontinuity),
      others,
      'each is where something else is shown',
    )
  }
  const many = Math.min(own.segments.length, lower.segments.length)
  t.same(shapeOf(lower).slice(0, many), shapeOf(own).slice(0, many))
  const [from = 0, to = 0] = breaksIn(own)
  const slates = await Promise.all([own, lower].map(({ segments }) => probed(segments.slice(from, to))))
  t.same(
    slates.map(({ size, stderr }) => [size, stderr]),
    [
      ['160x480', ''],
      ['120x360', ''],
    ],
  )
  const lasts = own.segments.slice(from, to).reduce((sum, { duration }) => sum + duration, 0)
  for (const { pictures, sound } of slates) {
    t.equal(pictures.length, Math.round(25 * lasts))
    t.ok(Math.abs(sound.length - (48_000 / 1024) * lasts) < 3, `${sound.length} frames of silence in ${lasts} s`)
  }
  t.equal(first.parts.length, made, 'it is neither recorded nor sent on')
  const [before, slate] = [own.segments[from - 1], own.segments[from]]
  const stopped = Date.parse(before?.programTime ?? '') + 1000 * (before?.duration ?? 0)
  t.ok(Math.abs(Date.parse(slate?.programTime ?? '') - stopped) < 5, 'the slate begins where the broadcast stopped')
  await second.live.stop({ ended: true })
  t.match(await (await second.get('live.m3u8')).text(), /#EXT-X-ENDLIST/)
})

t.test('without one, nothing is shown', async (t) => {
  const { live, playlist, get } = origin.start({ input: plain, inputOptions: [] })
  await until(() => live.stats().state === 'ended', { timeout: 60_000 })
  const { segments } = await playlist('live.m3u8')
  t.notOk(segments.some(({ discontinuity }) => discontinuity))
  t.equal((await get('live-360.m3u8')).status, 404)
})
