import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { EngineCall, Package, PackageSoundInput } from '#tasks/video/engine.ts'
import type { MediaTools } from '../media-tools.ts'
import { fileUrl, getFileOptions } from '../untrusted.ts'
import { progressOf, stopwatch, withWorkspace } from '../workspace.ts'
import { writeHls } from './hls.ts'
import { finishPackage } from './measured-package.ts'
import { moveTrack, readStart } from './start-time.ts'

/** Packages one encoded audio track for an existing package. `shown` is the time of the first frame of its video. */
export async function packageSound(
  tools: MediaTools,
  { sound, name, segmentSeconds, seconds, reference, folder }: PackageSoundInput,
  call: EngineCall,
): Promise<Package> {
  const clock = stopwatch()
  return withWorkspace(folder, async (workspace) => {
    const input = { source: fileUrl(sound), options: getFileOptions('mov') }
    const tracks = [{ name, kind: 'audio' as const, input, stream: 'a:0' }]
    const job = { tracks, segmentSeconds, folder: workspace.folder, seconds }
    const run = await writeHls(tools, job, call, progressOf(call, seconds))
    if (!run.ok) throw new Error(`The audio track could not be packaged: ${run.messages.join('; ')}`)
    await moveTrack(workspace.folder, name, await readStart(reference))
    const facts = await finishPackage(workspace.folder, [{ name, width: 0, height: 0 }], { rate: null })
    const files = facts.files.filter((file) => file !== 'master.m3u8')
    const sizes = await Promise.all(files.map((file) => stat(join(workspace.folder, file))))
    await workspace.publish(files)
    const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
    return { folder, ...facts, files, bytes, cpuSeconds: run.cpuSeconds, wallSeconds: clock() }
  })
}
