import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { film } from '../media/sources.ts'
import { decodeErrors, fetchText, readStreams } from '../support/hls.ts'
import { videoStack } from '../support/video-stack.ts'
import { quick } from './playable.ts'

t.setTimeout(1_200_000)
const stack = await videoStack(t)
const [seconds, rate] = [3, 25]

t.test('a source of 2160 lines becomes a ladder of six renditions, each with every frame', async (t) => {
  const picture = `testsrc2=s=3840x2160:r=${rate}:d=${seconds}`
  const source = await film(join(stack.data, 'large.mp4'), picture, { codec: quick })
  await stack.startWorkers()
  const begun = performance.now()
  const assetId = await stack.send(source)
  await stack.ready(assetId, 900_000)
  t.comment(`${seconds} s of 2160 lines are ready after ${((performance.now() - begun) / 1000).toFixed(1)} s`)
  const { renditions, ...asset } = await stack.read(assetId)
  t.match(asset, { width: 3840, height: 2160, frameRate: rate, failure_code: null })
  t.strictSame(
    renditions.map(({ name }: { name: string }) => name),
    ['2160p', '1440p', '1080p', '720p', '480p', '360p', 'audio'],
  )
  const { hlsUrl } = await mint(stack.api, assetId)
  const lists = (await fetchText(hlsUrl)).split('\n').filter((line) => line.endsWith('.m3u8'))
  const [top = ''] = lists.filter((line) => line.endsWith('2160p.m3u8'))
  const streams = (await readStreams(hlsUrl)).filter(({ kind }) => kind === 'video')
  t.strictSame(
    streams.map(({ height, packets }) => [height, packets]),
    [2160, 1440, 1080, 720, 480, 360].map((height) => [height, seconds * rate]),
  )
  t.equal(await decodeErrors(new URL(top, hlsUrl).href), '', 'another decoder finds no error in the largest')
})
