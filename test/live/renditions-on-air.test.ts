import t from 'tap'
import { liveStack } from '../support/live-stack.ts'
import { until } from '../support/until.ts'
import { shown } from './shown.ts'

/** Narrow, so that little of a busy machine is taken. */
const size = '64x368'
const stack = await liveStack(t)
const { ask, publish, rtmp } = stack
const facts = { renditions: [720, 360], visibility: 'unlisted', slate: true, record: false }
const channels = [stack.makeChannel({ ...facts, name: 'First' }), stack.makeChannel({ ...facts, name: 'Second' })]
const [first, second] = (await Promise.all(channels)) as [Channel, Channel]
type Channel = Awaited<(typeof channels)[number]>
// One channel's fit: what is not lower than the source takes nothing.
await stack.startLive({ LIVE_TRANSCODE_CORES: '0.4', LIVE_RECONNECT_SECONDS: '10' })

/** Waits until it is told how it is with a channel's renditions. */
const transcode = ({ read }: Channel, wanted: string) =>
  until(async () => (await read()).stream?.transcode === wanted, { timeout: 30_000, what: `transcode is ${wanted}` })

const open = ({ id }: Channel, file: string) => fetch(`${stack.ingress.url}/v1/stream/live/open/${id}/${file}`)
const heightsOf = async (channel: Channel) =>
  (await (await open(channel, 'index.m3u8')).text()).split('\n').filter((line) => line.endsWith('.m3u8'))

const publishers: ReturnType<typeof publish>[] = []

t.test('renditions are watched through the front door, and are refused where there is no room', async (t) => {
  publish(rtmp(first.primary), { size })
  await first.state('live')
  publishers.push(publish(rtmp(second.primary), { size }))
  await second.state('live')
  await Promise.all([transcode(first, 'on'), transcode(second, 'unavailable')])
  t.same(await heightsOf(first), ['live.m3u8', 'live-360.m3u8'])
  t.same(await heightsOf(second), ['live.m3u8'])
  const part = await until(
    async () => /#EXT-X-PART:[^\n]*URI="([^"]+)"/.exec(await (await open(first, 'live-360.m3u8')).text())?.[1],
    { timeout: 60_000, what: 'a part of the rendition is listed' },
  )
  t.equal((await open(first, part)).status, 200)
  t.equal((await open(first, 'live-360.m3u8?_HLS_part=1')).status, 400)
  for (const name of ['live-720.m3u8', 'live-480.m3u8']) t.equal((await open(first, name)).status, 404, name)
  for (const name of ['live-999.m3u8', 'live-.m3u8']) t.equal((await open(first, name)).status, 400, name)
})

t.test('while an encoder is cut off viewers are shown the slate, then the broadcast', async (t) => {
  const { behindBreak, tracks } = shown(stack, second)
  const slate = await behindBreak(async () => {
    for (const encoder of publishers) encoder.kill('SIGKILL')
  })
  t.same(await tracks(slate), ['audio', 'video'])
  const back = await behindBreak(async () => void publish(rtmp(second.primary), { size }))
  t.same(await tracks(back), ['audio', 'video'])
  t.not(back.map, slate.map)
})

t.test('room that one broadcast leaves is there for the next', async (t) => {
  for (const { id } of [first, second])
    t.equal((await ask(`POST /v1/stream/live/channels/${id}/end`, { body: {} })).status, 202)
  await first.state('idle')
  const third = await stack.makeChannel({ ...facts, name: 'Third' })
  publish(rtmp(third.primary), { size })
  await transcode(third, 'on')
})
