import t from 'tap'
import * as orgs from '#sql/account/orgs.ts'
import * as plans from '#sql/account/plans.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { readGuide } from '../support/guide.ts'
import { fieldsOf } from '../support/ingress.ts'
import { liveStack, rate } from '../support/live-stack.ts'
import { runGuide } from '../support/run-guide.ts'
import { until } from '../support/until.ts'

t.setTimeout(240_000)
const stack = await liveStack(t)
const { ask, store } = stack
const clips = (channelId: string, body: unknown) => ask(`POST /v1/stream/live/channels/${channelId}/clips`, { body })

/** Cuts the last five seconds as a viewer of the chat. */
async function viewerClips(channelId: string, canClip: boolean) {
  const body = { userId: 'ada', name: 'Ada', canClip }
  const { token } = (await ask(`POST /v1/stream/live/channels/${channelId}/chat/tokens`, { body })).body
  return await ask(`POST /v1/stream/live/chat/${token}/clips`, { body: { lastSeconds: 5 } })
}

async function allowWaiting(waiting_jobs: number): Promise<void> {
  const [base] = await plans.list(stack.db)
  await plans.put(stack.db, { ...(base as plans.Plan), name: 'few', waiting_jobs, live_channels: 10 })
  await orgs.setPlan(stack.db, stack.orgId, 'few')
}

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
    await viewerClips(channel.id, true),
  ]
  for (const { status, body } of made)
    t.match({ status, body }, { status: 201, body: { clipped_from: { assetId: null, channelId: channel.id } } })
  t.match(await viewerClips(channel.id, false), { status: 403, body: { error: { code: 'chat_forbidden' } } })
  await allowWaiting(2 * made.length)
  const refused = await viewerClips(channel.id, true)
  t.match(refused, { status: 429, body: { error: { code: 'rate_limited' } } }, 'viewers have half of the waiting jobs')
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  await orgs.setPlan(stack.db, stack.orgId, 'unlimited')
  t.same(fieldsOf(await clips(channel.id, { start: 3, end: 700 })), ['body.end'])
  t.same(fieldsOf(await clips(channel.id, { start: 3 })), ['body.end'])
  t.same(fieldsOf(await clips(channel.id, { start: 3, end: 5, lastSeconds: 4 })), ['body.lastSeconds'])
  t.same(fieldsOf(await clips(channel.id, {})), ['body.lastSeconds'])
  t.same(fieldsOf(await clips(channel.id, { lastSeconds: 0.1 })), ['body.lastSeconds'])
  const run = { folder: t.testdir(), baseUrl: stack.ingress.url, apiKey: stack.key }
  const section = { sections: ['Cut a clip from a live channel'], environment: { CHANNEL_ID: channel.id } }
  const [shown] = await runGuide(await readGuide('ingress/video/CLIPS.md'), { ...run, ...section })
  t.match(shown?.json, { status: 'processing' }, 'the guide’s call')
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

t.test('a broadcast that is not recorded returns a clear error', async (t) => {
  const channel = await stack.makeChannel({ record: false })
  stack.publish(stack.rtmp(channel.primary), { seconds: 20 })
  await channel.state('live')
  t.match(await clips(channel.id, { lastSeconds: 5 }), {
    status: 409,
    body: { error: { code: 'channel_not_recorded' } },
  })
})
