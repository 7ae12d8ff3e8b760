import { stat } from 'node:fs/promises'
import type { EngineCall, MotionInput } from '#tasks/video/engine.ts'
import { createCommand, mapStream, withOptions } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { fileUrl, openMezzanine } from '../untrusted.ts'
import { toMediaFault } from '../verdict.ts'

/** Writes a short animation without sound as an animated WebP that repeats. Returns its size in bytes. */
export async function makeMotion(
  tools: MediaTools,
  { source, at, seconds, width, fps, output }: MotionInput,
  call: EngineCall,
): Promise<number> {
  const command = createCommand(withOptions(['-ss', at.toFixed(6), '-t', seconds.toFixed(6)], openMezzanine(source)))
    .output(fileUrl(output))
    .videoFilters([
      { filter: 'fps', options: { fps } },
      { filter: 'scale', options: { w: `min(${width},iw)`, h: -2, flags: 'bicubic' } },
    ])
    .format('webp')
    .outputOptions(...mapStream('0:v:0'), ...['-c:v', 'libwebp_anim', '-loop', '0', '-quality', '60'])
    .outputOptions('-compression_level', '3', '-map_metadata', '-1')
  const run = await tools.ffmpeg(command, { call, timeout: 120_000 })
  const { size } = await stat(output).catch(() => ({ size: 0 }))
  if (!run.ok || size === 0) throw toMediaFault(run.messages, 'corrupt')
  return size
}
