import { writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { EngineCall } from '#tasks/video/engine.ts'
import { createCommand } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { fileUrl, getFileOptions } from '../untrusted.ts'
import { toMediaFault } from '../verdict.ts'
import { unifyRecordings } from './alike.ts'

/**
 * Joins recordings in order. Decoder parameters can change, because they are repeated before each key frame, as the
 * concat demuxer does for H.264. Tracks and audio parameters cannot change and must be equal in all recordings.
 */
export async function joinRecordings(
  tools: MediaTools,
  { files, folder }: { files: readonly string[]; folder: string },
  call: EngineCall,
): Promise<string> {
  const alike = await unifyRecordings(tools, { files, folder }, call)
  const [list, output] = [join(folder, 'joined.txt'), join(folder, 'joined.mp4')]
  await writeFile(list, ['ffconcat version 1.0', ...alike.map((file) => `file ${basename(file)}`), ''].join('\n'))
  const options = [...getFileOptions('concat,mov'), '-f', 'concat', '-safe', '1']
  const command = createCommand({ source: fileUrl(list), options })
    .output(fileUrl(output))
    .outputOptions('-map', '0', '-c', 'copy', '-map_metadata', '-1')
    .format('mp4')
  const run = await tools.ffmpeg(command, { call, timeout: 600_000 })
  if (!run.ok) throw toMediaFault(run.messages, 'corrupt')
  return output
}
