import { access, rm } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { mint } from '../../ops/video-client.ts'
import { film, numbered } from '../media/sources.ts'
import { frameCounts } from '../support/hls.ts'
import { until } from '../support/until.ts'
import { videoStack } from '../support/video-stack.ts'
import { attempts } from './attempts.ts'
import { quick } from './playable.ts'

const stack = await videoStack(t)

const { attemptsOf, running, gated } = attempts(stack)

const stages = [
  { task: 'video/probe', tool: 'ffprobe', pattern: '' },
  { task: 'video/remux', tool: 'ffmpeg', pattern: '-map_chapters' },
  { task: 'video/encode-audio', tool: 'ffmpeg', pattern: 'audio.mp4' },
  { task: 'video/package-ladder', tool: 'ffmpeg', pattern: '-hls_playlist_type' },
] as const

t.test('a worker killed at any other step costs that step', async (t) => {
  const more = ['-c:a', 'mp2']
  const source = await film(join(stack.data, 'cast.ts'), numbered('25', 3), { codec: ['-c:v', 'mpeg2video'], more })
  for (const { task, tool, pattern } of stages) {
    await t.test(task, async (t) => {
      const { path, gate, reached } = await gated(tool, pattern)
      const first = await stack.startWorkers(tool === 'ffmpeg' ? { FFMPEG_PATH: path } : { FFPROBE_PATH: path })
      const assetId = await stack.send(source)
      await until(() => access(reached).then(() => true), { what: 'the tool runs' })
      t.equal((await running(assetId, task)).length, 1)
      await first.kill()
      await rm(gate)
      const second = await stack.startWorkers()
      await stack.ready(assetId, 30_000)
      // The asset is ready a moment before the attempt that made it so has ended.
      const outcomes = async () => (await attemptsOf(assetId, task)).map(({ outcome }) => outcome)
      await until(async () => !(await outcomes()).includes(null))
      t.strictSame(await outcomes(), ['lost', 'done'])
      t.strictSame(await frameCounts((await mint(stack.api, assetId)).hlsUrl), [75])
      await second.stop()
    })
  }
})

t.test('a store that is away for a moment delays a video and loses nothing', async (t) => {
  const { path, gate, reached } = await gated('ffmpeg', 'filter_complex')
  const workers = await stack.startWorkers({ FFMPEG_PATH: path })
  const assetId = await stack.send(await film(join(stack.data, 'short.mp4'), numbered('30', 4), { codec: quick }))
  await until(() => access(reached).then(() => true), { what: 'a chunk is being encoded' })
  await stack.store.stop()
  await rm(gate)
  await until(async () => (await attemptsOf(assetId, 'video/encode-chunk')).some(({ outcome }) => outcome === 'later'))
  t.match(await stack.read(assetId), { status: 'processing', encoding: true, failure_summary: null })
  await stack.store.start()
  await stack.ready(assetId, 40_000)
  t.strictSame(await frameCounts((await mint(stack.api, assetId)).hlsUrl), [120])
  await workers.stop()
})
