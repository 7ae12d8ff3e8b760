import { stat } from 'node:fs/promises'
import type { EngineCall, FrameInput } from '#tasks/video/engine.ts'
import { createCommand, mapStream, withOptions } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { fileUrl, openMezzanine } from '../untrusted.ts'

export async function takeFrame(
  tools: MediaTools,
  { source, at, lines, output }: FrameInput,
  call: EngineCall,
): Promise<boolean> {
  const command = createCommand(withOptions(['-ss', at.toFixed(6)], openMezzanine(source)))
    .output(fileUrl(output))
    .frames(1)
    .videoFilters([{ filter: 'scale', options: { w: -2, h: `min(${lines},ih)`, flags: 'bicubic' } }])
    .format('image2')
    .outputOptions(
      ...mapStream('0:v:0'),
      ...['-update', '1', '-q:v', '3', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1'],
    )
  const run = await tools.ffmpeg(command, { call, timeout: 60_000 })
  const { size } = await stat(output).catch(() => ({ size: 0 }))
  return run.ok && size > 0
}
