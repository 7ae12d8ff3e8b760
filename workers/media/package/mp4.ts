import { stat } from 'node:fs/promises'
import type { EngineCall, Mp4Input } from '#tasks/video/engine.ts'
import { createCommand, mapStream } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { fileUrl, openMezzanine } from '../untrusted.ts'

/**
 * Copies video and audio of a package into one MP4 with its index at the start. Returns the size of the MP4 in bytes.
 */
export async function makeMp4(
  tools: MediaTools,
  { picture, sound, output }: Mp4Input,
  call: EngineCall,
): Promise<number> {
  const inputs = [picture, sound].flatMap((path) => (path === null ? [] : [openMezzanine(path)]))
  const maps = inputs.flatMap((_, i) => mapStream(String(i)))
  const command = createCommand(...inputs)
    .output(fileUrl(output))
    .outputOptions(...maps, ...['-c', 'copy', '-map_metadata', '-1', '-movflags', '+faststart'])
    .format('mp4')
  const run = await tools.ffmpeg(command, { call, timeout: 30 * 60_000 })
  if (!run.ok) throw new Error(`The rendition could not be joined: ${run.messages.join('; ')}`)
  return (await stat(output)).size
}
