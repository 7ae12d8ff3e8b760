import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { log } from '#lib/log.ts'
import { planThumbnails, sheetFiles, thumbnailsFile, thumbnailsTrack } from '#tasks/video/hls/thumbnails.ts'
import type { EngineCall } from '#tasks/video/transcode/engine.ts'
import type { Rendition } from '#tasks/video/transcode/ladder.ts'
import type { VideoPlan } from '#tasks/video/transcode/plan.ts'
import type { HlsTrack } from './hls.ts'
import type { MediaTools } from './media-tools.ts'

/**
 * Makes the pictures for the seek bar from the key frames of the plan's smallest rendition, `track`; answers with its files, the WebVTT
 * file last. A film goes without them when they cannot be made.
 */
export async function makeThumbnails(
  tools: MediaTools,
  { folder, track, plan }: { folder: string; track: HlsTrack; plan: VideoPlan },
  call: EngineCall,
): Promise<{ files: string[]; cpuSeconds: number }> {
  const thumbnails = planThumbnails(plan.renditions.at(-1) as Rendition, plan.chunks)
  const { size, every, columns, rows } = thumbnails
  const filters = [
    `select='not(mod(n,${every}))'`,
    `scale=w=${size.width}:h=${size.height}:flags=bicubic`,
    `tile=${columns}x${rows}`,
  ]
  const run = await tools.run({
    tool: 'ffmpeg',
    args: [
      // Everything else is not even decoded.
      ...['-skip_frame', 'nokey', '-threads', '1', ...track.input, '-map', `0:${track.stream}`],
      ...['-vf', filters.join(','), '-fps_mode', 'passthrough', '-q:v', '5', '-pix_fmt', 'yuvj420p'],
      ...['-map_metadata', '-1', '-f', 'image2', '-start_number', '0', join(folder, 'thumbnails_%03d.jpg')],
    ],
    call,
    timeout: 300_000 + plan.chunks.frames * 10,
  })
  const sheets = sheetFiles(thumbnails)
  const sizes = await Promise.all(sheets.map((file) => stat(join(folder, file)).catch(() => ({ size: 0 }))))
  if (!run.ok || sizes.some(({ size }) => size === 0)) {
    log.warn({ messages: run.messages }, 'no pictures for the seek bar: the film goes without them')
    return { files: [], cpuSeconds: run.cpuSeconds }
  }
  await writeFile(join(folder, thumbnailsFile), thumbnailsTrack(thumbnails, plan.chunks))
  return { files: [...sheets, thumbnailsFile], cpuSeconds: run.cpuSeconds }
}
