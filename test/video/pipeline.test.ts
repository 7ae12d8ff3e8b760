import { join } from 'node:path'
import t, { type Test } from 'tap'
import { mint } from '../../ops/video-client.ts'
import { ffmpeg } from '../media/ffmpeg.ts'
import { film, numbered } from '../media/sources.ts'
import { decodeErrors, fetchText, frameCounts, mediaPlaylist, playlistsOf, readStreams } from '../support/hls.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'

const stack = await videoStack(t)
const at = (name: string) => join(stack.data, name)
const quick = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p']

/** Facts that every asset of this file is checked for once it is ready. */
async function checkPlayback(t: Test, assetId: string, { frames, seconds }: { frames?: number; seconds: number }) {
  const { hlsUrl, durationSeconds } = (await mint(stack.api, assetId)) as { hlsUrl: string; durationSeconds?: number }
  t.equal(durationSeconds, Math.round(seconds), 'the session tells the length')
  const counts = await frameCounts(hlsUrl)
  t.strictSame(
    counts,
    counts.map(() => frames),
    'every rendition has every frame of the source, over HTTP',
  )
  t.equal(counts.length === 0, frames === undefined)
  t.equal(await decodeErrors(hlsUrl), '', 'another decoder finds no error')
  return { hlsUrl, streams: await readStreams(hlsUrl) }
}

t.test('what waits says so, and in which place', async (t) => {
  const sources = ['a', 'b', 'c'].map((name) => film(at(`${name}.mp4`), numbered('30', 2), { codec: quick }))
  const ids: string[] = []
  for (const source of await Promise.all(sources)) ids.push(await stack.send(source))
  for (const [i, id] of ids.entries()) {
    const asset = await stack.read(id)
    t.match(asset, {
      status: 'processing',
      current_stage: 'queued',
      stage: 'Waiting in the queue',
      stageLabel: 'Waiting in the queue',
      encoding: false,
      queuePosition: i + 1,
      progress_percent: 0,
      estimatedReadyAt: null,
      etaBasis: null,
      playable: false,
      failure_summary: null,
    })
    t.notOk('upload_id' in asset, 'the upload is over')
  }
  t.match(await stack.ask(`POST /v1/stream/assets/${ids[0]}/playback-sessions`, { body: {} }), {
    status: 409,
    body: { error: { code: 'asset_not_ready' } },
  })
})

let ladder = ''

t.test('H.264 with AAC is playable before its ladder is begun', async (t) => {
  const source = await film(at('copy.mp4'), numbered('15', 20, '480:480'), { codec: quick })
  ladder = await stack.send(source, { title: 'A talk', externalRef: 'ref-1' })
  const intake = await stack.startWorkers({}, 'core,media-intake')
  const asset = await until(async () => {
    const read = await stack.read(ladder)
    return read.playable && read.posterUrl === null ? read : null
  })
  t.match(asset, { status: 'processing', current_stage: 'packaging_source', encoding: true, queuePosition: null })
  t.match(asset, {
    title: 'A talk',
    externalRef: 'ref-1',
    filename: 'copy.mp4',
    width: 480,
    height: 480,
    frameRate: 15,
  })
  t.ok(asset.progress_percent < 10, 'hardly anything is done')
  t.strictSame([asset.estimatedReadyAt, asset.etaBasis, asset.ready_at], [null, null, null], 'no history, no estimate')
  t.strictSame(
    asset.renditions.map(({ name }: { name: string }) => name),
    ['source', 'audio'],
  )
  await checkPlayback(t, ladder, { frames: 300, seconds: 20 })
  await intake.stop()
})

t.test('progress never falls, and the ladder replaces the copy', async (t) => {
  await stack.startWorkers()
  const seen = new Map<string, Record<string, never>>()
  const percents: number[] = []
  const asset = await until(
    async () => {
      const read = await stack.read(ladder)
      seen.set(read.current_stage, read)
      percents.push(read.progress_percent)
      return read.status === 'ready' ? read : null
    },
    { timeout: 60_000, every: 50 },
  )
  t.strictSame(
    percents,
    percents.toSorted((a, b) => a - b),
  )
  t.ok(new Set(percents).size > 4, `it is told in steps: ${[...new Set(percents)]}`)
  t.match(seen.get('encoding'), { encoding: true, queuePosition: null, stageLabel: /versions/ })
  t.match(asset, { progress_percent: 100, stage: 'Ready to watch', playable: true })
  for (const gone of ['encoding', 'queuePosition', 'stageLabel', 'estimatedReadyAt', 'etaBasis'])
    t.notOk(gone in asset, `${gone} is told while processing only`)
  t.ok(Date.parse(asset.playable_at) < Date.parse(asset.ready_at))
  t.strictSame(
    asset.renditions.map(({ name }: { name: string }) => name),
    ['480p', '360p', 'audio'],
  )

  const { hlsUrl, streams } = await checkPlayback(t, ladder, { frames: 300, seconds: 20 })
  t.strictSame(streams.map(({ width, height }) => `${width}x${height}`).sort(), ['0x0', '360x360', '480x480'])
  const [big, small] = await Promise.all((await playlistsOf(hlsUrl)).slice(0, 2).map(mediaPlaylist))
  t.strictSame(big?.lengths, small?.lengths, 'segments are aligned across renditions')
  t.strictSame(big?.lengths.map(Number), [6, 6, 6, 2])
  t.match(big?.text, /#EXT-X-ENDLIST\s*$/)
})

t.test('with history there is an estimate, and it is within reason', async (t) => {
  const source = await film(at('again.mp4'), numbered('15', 14, '480:480'), { codec: quick })
  const assetId = await stack.send(source)
  const estimates: { in: number; basis: string }[] = []
  await until(
    async () => {
      const asked = Date.now()
      const { status, estimatedReadyAt, etaBasis } = await stack.read(assetId)
      if (estimatedReadyAt) estimates.push({ in: Date.parse(estimatedReadyAt) - asked, basis: etaBasis })
      return status === 'ready'
    },
    { timeout: 60_000, every: 50 },
  )
  t.ok(estimates.length > 0)
  t.equal(estimates[0]?.basis, 'historical')
  for (const { in: ms } of estimates) if (ms < 0 || ms > 60_000) t.fail(`ready in ${ms} ms?`)
})

/** Sources that no browser plays as they are, or that are special; each is made, sent and checked. */
const specials: Record<
  string,
  { make: () => Promise<string>; facts?: object; frames?: number; seconds: number; asset: object }
> = {
  'MPEG-2 in a transport stream': {
    make: () =>
      film(at('cast.ts'), numbered('25', 4), { codec: ['-c:v', 'mpeg2video', '-bf', '2'], more: ['-c:a', 'mp2'] }),
    frames: 100,
    seconds: 4,
    asset: { width: 320, height: 180, frameRate: 25 },
  },
  'VP9 with Opus in WebM': {
    make: () =>
      film(at('web.webm'), numbered('30', 4), {
        codec: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8', '-threads', '1'],
        more: ['-c:a', 'libopus'],
      }),
    frames: 120,
    seconds: 4,
    asset: { width: 320, frameRate: 30 },
  },
  'Motion JPEG with PCM in QuickTime': {
    make: () => film(at('cam.mov'), numbered('24', 4), { codec: ['-c:v', 'mjpeg'], more: ['-c:a', 'pcm_s16le'] }),
    frames: 96,
    seconds: 4,
    asset: { frameRate: 24 },
  },
  'a film without sound': {
    make: () => film(at('silent.mp4'), numbered('30', 4), { codec: quick, sound: null }),
    frames: 120,
    seconds: 4,
    asset: { renditions: [{ name: '180p', width: 320, height: 180, codec: /^avc1/ }] },
  },
  'a recording without pictures': {
    make: async () => {
      await ffmpeg('-f', 'lavfi', '-i', 'anoisesrc=c=pink:a=0.1:d=8', '-c:a', 'libmp3lame', at('song.mp3'))
      return at('song.mp3')
    },
    seconds: 8,
    asset: { width: null, height: null, frameRate: null, renditions: [{ name: 'audio', codec: 'mp4a.40.2' }] },
  },
  'a film that a phone has turned': {
    make: async () => {
      await film(at('flat.mp4'), numbered('30', 3), { codec: quick })
      await ffmpeg('-i', at('flat.mp4'), '-c', 'copy', '-metadata:s:v', 'rotate=90', at('turned.mp4'))
      return at('turned.mp4')
    },
    frames: 90,
    seconds: 3,
    asset: { width: 180, height: 320, renditions: [{ width: 180, height: 320 }, { name: 'audio' }] },
  },
  'a tall film at 60 frames for fast_social': {
    make: () => film(at('tall.mp4'), numbered('60', 1, '1080:2400'), { codec: quick }),
    facts: { processingProfile: 'fast_social' },
    frames: 30,
    seconds: 1,
    asset: { processingProfile: 'fast_social', width: 1080, height: 2400, renditions: [{ width: 864, height: 1920 }] },
  },
}

t.test('what browsers cannot play, or is unlike the rest, becomes ready too', async (t) => {
  const sent = await Promise.all(
    Object.entries(specials).map(async ([name, special]) => {
      return { name, ...special, id: await stack.send(await special.make(), { ...special.facts }) }
    }),
  )
  for (const { name, id, frames, seconds, asset } of sent) {
    await t.test(name, async (t) => {
      await stack.ready(id)
      const read = await stack.read(id)
      t.match(read, asset)
      t.ok(Math.abs(read.durationSeconds - seconds) < 0.3, `${read.durationSeconds} s`)
      await checkPlayback(t, id, { ...(frames !== undefined && { frames }), seconds })
    })
  }
})

t.test('the work files are gone, the original and one package stay', async (t) => {
  await until(async () => (await stack.store.list('video/work/')).length === 0, { what: 'work files are removed' })
  t.equal((await stack.store.list(`video/sources/${ladder}`)).length, 1)
  const { hlsUrl } = await mint(stack.api, ladder)
  t.match(await fetchText(hlsUrl), /#EXT-X-STREAM-INF/)
})
