import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { openPool } from '#sql/db.ts'
import { livePrefix } from '#tasks/video/rules/keys.ts'
import { migrateAll } from '../../ops/migrate.ts'
import { exitOf, liveStack, rate, type TestChannel } from '../support/live-stack.ts'
import { freePort, ownCluster } from '../support/postgres.ts'
import { openPublisher } from '../support/rtmp-publisher.ts'
import { until } from '../support/until.ts'
import { parseMedia } from './hls-rules.ts'

const postgres = await ownCluster(t)
await migrateAll(postgres.url)
const db = await openPool(postgres.url)
const stack = await liveStack(t, { database: { url: postgres.url, db } })
t.teardown(() => db.end())
const { publish, rtmp } = stack
const own = { LIVE_RECONNECT_SECONDS: '40' }
/** With a lease so long that only its death opens what a worker has. */
const patient = { ...own, LEASE_MS: '60000' }
let workers = await stack.startLive(own)

const playlistOf = async ({ id }: TestChannel) => {
  const answer = await fetch(`${stack.ingress.url}/v1/stream/live/open/${id}/live.m3u8`)
  return answer.status === 200 ? parseMedia(await answer.text()) : undefined
}
const end = ({ id }: TestChannel) => stack.ask(`POST /v1/stream/live/channels/${id}/end`, { body: {} })

t.test('a worker, and what it has on air, outlasts a Postgres that is away for 8 s', async (t) => {
  const channel = await stack.makeChannel({ visibility: 'unlisted' })
  const publisher = publish(rtmp(channel.primary))
  const { stream } = await channel.state('live')
  await postgres.stop()
  await pause(8_000)
  await postgres.restart()
  const back = Date.now()
  const now = await until(async () => {
    const shown = await channel.read()
    return shown.state === 'live' && Date.parse(shown.stream.lastPartAt) > back && shown
  })
  t.equal(now.stream.broadcastId, stream.broadcastId)
  t.equal(publisher.exitCode, null, 'its publisher is connected')
  t.equal(workers.process.exitCode, null, 'its worker is the same')
  publisher.kill('SIGTERM')
  t.equal((await end(channel)).status, 202)
  const { assetId } = await channel.recorded()
  t.ok((await stack.frames(assetId)) > 8 * rate, 'what came meanwhile is in the recording')
})

t.test('a broadcast goes on although its worker dies while Postgres is away', async (t) => {
  const channel = await stack.makeChannel({ visibility: 'unlisted' })
  publish(rtmp(channel.primary))
  const { stream } = await channel.state('live')
  await until(async () => (await stack.store.list(livePrefix(stream.broadcastId))).length > 2)
  await postgres.stop()
  await workers.ended
  await postgres.restart()
  const back = Date.now()
  // As its supervisor and the encoder do.
  workers = await stack.startLive(own)
  const publisher = publish(rtmp(channel.primary), { seconds: 8 })
  const now = await until(
    async () => {
      const shown = await channel.read()
      return shown.state === 'live' && shown.stream.lastPartAt > stream.lastPartAt && shown
    },
    { timeout: 30_000 },
  )
  t.comment(`live again ${Date.now() - back} ms after Postgres`)
  t.equal(now.stream.broadcastId, stream.broadcastId)
  t.match(now.stream.lastPart, { segment: Number, part: Number, duration: Number, at: String })
  t.equal(await exitOf(publisher), 0)
  t.equal((await end(channel)).status, 202)
  const { assetId } = await channel.recorded()
  t.ok((await stack.frames(assetId)) > 8 * rate, 'what came before and after is in one recording')
})

t.test('a publisher that never sends anything is dropped, and its channel is idle within 10 s', async (t) => {
  const channel = await stack.makeChannel()
  const silent = await openPublisher(rtmp(channel.primary))
  t.teardown(() => silent.socket.destroy())
  await channel.state('connecting')
  const since = Date.now()
  await channel.state('idle')
  t.comment(`idle after ${Date.now() - since} ms`)
  t.ok(Date.now() - since < 10_000)
  const { body } = await stack.ask(`GET /v1/stream/live/channels/${channel.id}/broadcasts`)
  t.match(body.data, [{ endReason: 'silent', recording: 'none', liveAt: null }])
})

t.test('a publisher that returns with another picture goes on behind a discontinuity', async (t) => {
  const channel = await stack.makeChannel({ visibility: 'unlisted' })
  t.equal(await exitOf(publish(rtmp(channel.primary), { seconds: 6 })), 0)
  const again = publish(rtmp(channel.primary), { seconds: 6, size: '480x270' })
  await until(async () => (await channel.read()).stream?.height === 270)
  const playlist = await until(async () => {
    const shown = await playlistOf(channel)
    return shown?.segments.some(({ discontinuity }) => discontinuity) && shown
  })
  t.equal(new Set(playlist.segments.map(({ map }) => map)).size, 2, 'each has its header')
  t.equal(await exitOf(again), 0)
  await end(channel)
  const { assetId } = await channel.recorded()
  const frames = await stack.frames(assetId)
  t.equal(frames, 12 * rate, 'the recording has both')
})

t.test('a full disk costs going back, and neither the broadcast nor its recording', async (t) => {
  await workers.stop()
  const folder = join(stack.data, 'live')
  await mkdir(folder, { recursive: true })
  const mount = `mount -t tmpfs -o size=200k tmpfs ${folder} && exec "$@"`
  workers = await stack.startLive(own, ['unshare', '-m', 'sh', '-c', mount, 'sh'])
  const channel = await stack.makeChannel({ visibility: 'unlisted', dvrSeconds: 60 })
  const publisher = publish(rtmp(channel.primary), { seconds: 30 })
  await channel.state('live')
  await until(async () => workers.lines.some((line) => line.includes('a live segment could not be stored on disk')), {
    timeout: 30_000,
  })
  t.equal((await channel.read()).state, 'live')
  t.equal(await exitOf(publisher), 0)
  t.ok((await playlistOf(channel))?.segments.length)
  await end(channel)
  const { assetId } = await channel.recorded()
  t.equal(await stack.frames(assetId), 30 * rate)
  await workers.stop()
  workers = await stack.startLive(patient)
})

t.test('when the worker that has a channel dies, another goes on with its broadcast', async (t) => {
  const other = await freePort()
  const second = await stack.startLive({ ...patient, LIVE_RTMP_PORT: String(other) })
  const channel = await stack.makeChannel({ visibility: 'unlisted' })
  publish(rtmp(channel.primary))
  const { stream } = await channel.state('live')
  const before = await playlistOf(channel)
  await workers.kill()
  const killed = Date.now()
  const again = publish(`rtmp://127.0.0.1:${other}/live/${channel.primary}`, { seconds: 8 })
  const after = await until(
    async () => {
      const shown = await playlistOf(channel)
      return shown && shown.msn > (before?.segments.at(-1)?.msn ?? 0) && shown
    },
    { timeout: 30_000 },
  )
  t.comment(`watched again after ${Date.now() - killed} ms`)
  t.ok(after.discontinuitySequence > (before?.discontinuitySequence ?? 0))
  t.equal((await channel.read()).stream.broadcastId, stream.broadcastId)
  t.equal(await exitOf(again), 0)
  t.equal((await end(channel)).status, 202)
  const { assetId } = await channel.recorded()
  t.ok((await stack.frames(assetId)) > 8 * rate, 'what both had is in one recording')
  await second.stop()
})
