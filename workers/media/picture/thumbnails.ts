import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { log } from '#lib/log.ts'
import type { EngineCall } from '#tasks/video/engine.ts'
import { planThumbnails, sheetFiles, thumbnailsFile, thumbnailsTrack } from '#tasks/video/rules/hls/thumbnails.ts'
import type { Rendition } from '#tasks/video/rules/transcode/ladder.ts'
import type { VideoPlan } from '#tasks/video/rules/transcode/plan.ts'
import { createCommand, mapStream, withOptions } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import type { HlsTrack } from '../package/hls.ts'
import { scale } from './picture.ts'

/**
 * Creates preview images from the key frames of `track`, the plan's smallest rendition. Returns the files, with the
 * WebVTT file last. If this fails, the video has no preview images.
 */
export async function makeThumbnails(
  tools: MediaTools,
  { folder, track, plan }: { folder: string; track: HlsTrack; plan: VideoPlan },
  call: EngineCall,
): Promise<{ files: string[]; cpuSeconds: number }> {
  const thumbnails = planThumbnails(plan.renditions.at(-1) as Rendition, plan.chunks)
  const { size, every, columns, rows } = thumbnails
  const command = createCommand(withOptions(['-skip_frame', 'nokey', '-threads', '1'], track.input))
    .output(join(folder, 'thumbnails_%03d.jpg'))
    .videoFilters([
      { filter: 'select', options: { expr: `not(mod(n,${every}))` } },
      scale(size),
      { filter: 'tile', options: `${columns}x${rows}` },
    ])
    .format('image2')
    .outputOptions(
      ...mapStream(`0:${track.stream}`),
      ...['-fps_mode', 'passthrough', '-q:v', '5', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1', '-start_number', '0'],
    )
  const run = await tools.ffmpeg(command, { call, timeout: 300_000 + plan.chunks.frames * 10 })
  const sheets = sheetFiles(thumbnails)
  const sizes = await Promise.all(sheets.map((file) => stat(join(folder, file)).catch(() => ({ size: 0 }))))
  if (!run.ok || sizes.some(({ size }) => size === 0)) {
    log.warn({ messages: run.messages }, 'no preview images for the seek bar: the video is served without them')
    return { files: [], cpuSeconds: run.cpuSeconds }
  }
  await writeFile(join(folder, thumbnailsFile), thumbnailsTrack(thumbnails, plan.chunks))
  return { files: [...sheets, thumbnailsFile], cpuSeconds: run.cpuSeconds }
}
