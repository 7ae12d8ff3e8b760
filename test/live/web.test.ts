import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import t from 'tap'
import { chromiumPath } from '../support/browser.ts'
import { liveStack, type TestChannel } from '../support/live-stack.ts'
import { roomsStack } from '../support/rooms-stack.ts'
import { until } from '../support/until.ts'
import { webPeers } from '../support/web-peers.ts'

const execute = promisify(execFile)
t.setTimeout(240_000)
const skip = existsSync(chromiumPath) ? false : 'Chromium is not installed'

t.test('pages publish and watch', { skip }, async (t) => {
  const live = await liveStack(t)
  const rooms = await roomsStack(t, live)
  const [peers] = await Promise.all([
    webPeers(t),
    live.startLive(),
    rooms.startRooms({ LIVE_RTMP_PORT: String(live.port), LIVE_RECONNECT_SECONDS: '2', ...(process.env.WORKER_LOG ? { LOG_LEVEL: 'debug' } : {}) }),
  ])
  const whip = `${live.ingress.url}/v1/stream/live/whip`
  const run = <T>(page: Page, name: string, ...given: unknown[]): Promise<T> =>
    page.evaluate(`${name}(${given.map((one) => JSON.stringify(one)).join(', ')})`)
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field.
  const publish = (page: Page, key: string, options: object = {}): Promise<any> => run(page, 'publish', whip, key, options)
  const mint = async (channel: TestChannel) =>
    (await live.ask(`POST /v1/stream/live/channels/${channel.id}/playback-sessions`, { body: {} })).body
  const publisher = await peers.open()
  const viewer = await peers.open()
  const channel = await live.makeChannel()
  await until(async () => (await live.db.maybeOneFirst((await import('#sql/db.ts')).sql.unsafe`select 1 as one from rooms.hosts`)) !== null, { timeout: 30_000, what: 'a worker takes publishers' })

  await t.test('what a page publishes is broadcast as H.264 and AAC', async (t) => {
    const answer = await publish(publisher, channel.primary, { clock: true })
    t.match(answer, { status: 201, type: /application\/sdp/, location: /\/whip\// }, JSON.stringify(answer))
    const { stream } = await channel.state('live', 'primary')
    t.match(stream, { videoCodec: /^avc1/, audioCodec: /^mp4a/, width: 320, height: 180 })
    const { hlsUrl } = await mint(channel)
    const { stdout } = await execute('ffprobe', ['-v', 'error', '-show_entries', 'stream=codec_name', '-of', 'csv=p=0', hlsUrl])
    t.same(stdout.trim().split('\n').toSorted(), ['aac', 'h264'])
  })

  await t.test('a viewer sees it by WHEP within half a second', async (t) => {
    const { hlsUrl } = await mint(channel)
    const answer = await run<object>(viewer, 'watch', hlsUrl.replace('index.m3u8', 'whep'))
    t.match(answer, { status: 201 }, JSON.stringify(answer))
    await until(async () => (await run<{ video?: { framesDecoded: number } }>(viewer, 'received')).video?.framesDecoded, {
      timeout: 10_000,
      what: 'pictures come',
    })
    const seen = await run<number[]>(viewer, 'latencies', 60)
    const sorted = seen.toSorted((a, b) => a - b)
    t.comment(JSON.stringify([sorted[0], sorted[30], sorted[57], await run(viewer, 'received')]))
    t.ok((sorted[30] ?? 1e9) < 500, `${sorted[30]} ms`)
  })
})
