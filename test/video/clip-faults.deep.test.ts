import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { sourceKey } from '#sql/video/uploads.ts'
import { film, numbered, readNumbers } from '../media/sources.ts'
import { until } from '../support/until.ts'
import { enginesOn, scratchFiles, videoStack } from '../support/video-stack.ts'

t.setTimeout(180_000)
const stack = await videoStack(t)
const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '60', '-pix_fmt', 'yuv420p']
const path = await film(join(stack.data, 'a.mp4'), numbered('30', 14, '320:180'), { codec })
const clips = (assetId: string, body: unknown) => stack.ask(`POST /v1/stream/assets/${assetId}/clips`, { body })
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i)

t.test('a worker killed in the midst of a cut loses nothing, and the clip is cut once more', async (t) => {
  const slow = join(stack.data, 'slow-ffmpeg')
  const cut = 'case "$*" in *force_key_frames*) exec ffmpeg -readrate 0.2 "$@";; esac'
  await writeFile(slow, `#!/bin/sh\n${cut}\nexec ffmpeg "$@"\n`)
  await chmod(slow, 0o755)
  const first = await stack.startWorkers({ FFMPEG_PATH: slow })
  const assetId = await stack.send(path)
  await stack.ready(assetId)
  const { assetId: id } = (await clips(assetId, { start: 3, end: 11 })).body
  await until(async () => (await enginesOn(stack.data)).length > 0, { what: 'the clip is being cut' })
  await first.kill()
  const again = await stack.startWorkers()
  await stack.ready(id)
  const url = await stack.store.storage.signGet(sourceKey(id), 60)
  t.strictSame(await readNumbers(url), range(90, 330))
  await until(async () => (await scratchFiles(stack.data)).length === 0, { what: 'scratch is empty', timeout: 30_000 })
  await again.stop()
})
