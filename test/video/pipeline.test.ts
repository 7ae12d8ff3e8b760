import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { film, numbered } from '../media/sources.ts'
import { fetchText, mediaPlaylist, playlistsOf } from '../support/hls.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { becomeReady, checkPlayback, quick } from './playable.ts'

const stack = await videoStack(t)
const at = (name: string) => join(stack.data, name)

t.test('what waits says so, and in which place', async (t) => {
  const sources = ['a', 'b', 'c'].map((name) => film(at(`${name}.mp4`), numbered('10', 1, '160:90'), { codec: quick }))
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
  await checkPlayback(t, stack, ladder, { frames: 300, seconds: 20 })
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
    { timeout: 60_000, every: 100 },
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

  const { hlsUrl, streams } = await checkPlayback(t, stack, ladder, { frames: 300, seconds: 20 })
  t.strictSame(streams.map(({ width, height }) => `${width}x${height}`).sort(), ['0x0', '360x360', '480x480'])
  const [big, small] = await Promise.all((await playlistsOf(hlsUrl)).slice(0, 2).map(mediaPlaylist))
  t.strictSame(big?.lengths, small?.lengths, 'segments are aligned across renditions')
  t.strictSame(big?.lengths.map(Number), [6, 6, 6, 2])
  t.match(big?.text, /#EXT-X-ENDLIST\s*$/)
})

t.test('with history there is an estimate, and it is within reason', async (t) => {
  const source = await film(at('again.mp4'), numbered('15', 7, '480:480'), { codec: quick })
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

t.test('what browsers cannot play, or is unlike the rest, becomes ready too', (t) =>
  becomeReady(t, stack, ['MPEG-2 in a transport stream', 'a recording without pictures']),
)

t.test('the work files are gone, the original and one package stay', async (t) => {
  await until(async () => (await stack.store.list('video/work/')).length === 0, { what: 'work files are removed' })
  t.equal((await stack.store.list(`video/sources/${ladder}`)).length, 1)
  const { hlsUrl } = await mint(stack.api, ladder)
  t.match(await fetchText(hlsUrl), /#EXT-X-STREAM-INF/)
})
