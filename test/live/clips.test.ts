import t from 'tap'
import { sourceKey } from '#sql/video/uploads.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { fieldsOf } from '../support/ingress.ts'
import { liveStack, rate } from '../support/live-stack.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const stack = await liveStack(t)
const { ask, store } = stack
const clips = (channelId: string, body: unknown) => ask(`POST /v1/stream/live/channels/${channelId}/clips`, { body })

/** Small grey copies of all frames of an asset's original. */
async function framesOf(assetId: string): Promise<Buffer[]> {
  const url = await store.storage.signGet(sourceKey(assetId), 60)
  const pixels = await ffmpeg(
    '-i',
    url,
    '-fps_mode',
    'passthrough',
    '-vf',
    'scale=32:18,format=gray',
    '-f',
    'rawvideo',
    '-',
  )
  return Array.from({ length: pixels.length / 576 }, (_, i) => pixels.subarray(i * 576, (i + 1) * 576))
}

const distance = (a: Buffer, b: Buffer) => a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0)

/** The frame of a film that looks most like a picture. */
function nearest(film: Buffer[], picture: Buffer): number {
  const distances = film.map((frame) => distance(frame, picture))
  return distances.indexOf(Math.min(...distances))
}

t.test('clips of a broadcast have the frames of its recording, also if it ends before they are cut', async (t) => {
  await stack.startLive()
  const channel = await stack.makeChannel({ visibility: 'unlisted' })
  t.match(await clips(channel.id, { lastSeconds: 5 }), { status: 409, body: { error: { code: 'channel_idle' } } })
  const publisher = stack.publish(stack.rtmp(channel.primary), { group: 2 })
  await channel.state('live')
  await until(async () => (await store.list('video/broadcasts/')).length >= 12, { timeout: 60_000 })
  const made = [
    await clips(channel.id, { lastSeconds: 4, title: 'Goal' }),
    await clips(channel.id, { start: 3, end: 7.2 }),
  ]
  for (const { status, body } of made)
    t.match({ status, body }, { status: 201, body: { clipped_from: { assetId: null, channelId: channel.id } } })
  t.same(fieldsOf(await clips(channel.id, { start: 3, end: 700 })), ['body.end'])
  t.same(fieldsOf(await clips(channel.id, { start: 3 })), ['body.end'])
  t.same(fieldsOf(await clips(channel.id, { start: 3, end: 5, lastSeconds: 4 })), ['body.lastSeconds'])
  t.same(fieldsOf(await clips(channel.id, {})), ['body.lastSeconds'])
  t.same(fieldsOf(await clips(channel.id, { lastSeconds: 0.1 })), ['body.lastSeconds'])
  publisher.kill()
  const { broadcastId, assetId } = await channel.recorded()
  t.ok((await store.list(`video/broadcasts/${broadcastId}`)).length > 0, 'the chunks wait for the clips')

  await stack.startWorkers({}, 'media')
  const film = await framesOf(assetId)
  for (const { body } of made) {
    await stack.ready(body.assetId)
    const { start, end } = body.clipped_from
    const asset = await stack.read(body.assetId)
    t.match(asset, { visibility: 'unlisted', clipped_from: { broadcastId } })
    t.ok(
      Math.abs(asset.durationSeconds - (end - start)) <= 1.5 / rate,
      `${asset.durationSeconds} s of ${end - start} s`,
    )
    const frames = await framesOf(body.assetId)
    for (const at of [0, frames.length - 1]) {
      const found = nearest(film, frames[at] as Buffer)
      t.ok(Math.abs(found - (start * rate + at)) <= 1, `frame ${at} of the clip is ${found}, from ${start} s`)
    }
  }
  await until(async () => (await store.list(`video/broadcasts/${broadcastId}`)).length === 0, {
    timeout: 60_000,
    what: 'the chunks are deleted',
  })
})

t.test('a broadcast that is not recorded says so', async (t) => {
  const channel = await stack.makeChannel({ record: false })
  stack.publish(stack.rtmp(channel.primary), { seconds: 20 })
  await channel.state('live')
  t.match(await clips(channel.id, { lastSeconds: 5 }), {
    status: 409,
    body: { error: { code: 'channel_not_recorded' } },
  })
})
