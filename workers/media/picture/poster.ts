import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { FfmpegCommand } from 'fluent-ffmpeg'
import type { EngineCall, Probe, VideoTrack } from '#tasks/video/engine.ts'
import { displaySize, type Size } from '#tasks/video/rules/transcode/ladder.ts'
import { createCommand, mapStream, withOptions } from '../command.ts'
import type { MediaTools } from '../media-tools.ts'
import { threadsFor } from '../threads.ts'
import { openUpload } from '../untrusted.ts'
import { progressOf, withWorkspace } from '../workspace.ts'
import { deinterlace } from './interlacing.ts'
import { normalise, prepare } from './picture.ts'

/** Maximum length of a poster's longer side in pixels. */
const longest = 1280

const candidates = 24

function posterSize(video: VideoTrack): Size {
  const shown = displaySize(video)
  const scale = Math.min(1, longest / Math.max(shown.width, shown.height))
  const even = (length: number) => Math.max(2, Math.round((length * scale) / 2) * 2)
  return { width: even(shown.width), height: even(shown.height) }
}

/** Returns a frame after a tenth of the video, up to 60 s. This frame is after the titles and near a key frame. */
function fromFilm(video: VideoTrack, source: string, seconds: number, threads: number): FfmpegCommand {
  const at = Math.min(60, seconds / 10)
  const filters = [
    ...(video.interlaced ? [...prepare(video, posterSize(video)), deinterlace(video)] : []),
    ...normalise(video, posterSize(video)),
    { filter: 'thumbnail', options: { n: candidates } },
  ]
  const seek = ['-threads', String(threads), '-noaccurate_seek', '-ss', at.toFixed(3)]
  return createCommand(withOptions(seek, openUpload(source)))
    .outputOptions(...mapStream(`0:${video.index}`))
    .videoFilters(filters)
}

function fromCover(index: number, source: string): FfmpegCommand {
  const box = { w: `min(${longest},iw)`, h: `min(${longest},ih)` }
  return createCommand(openUpload(source))
    .outputOptions(...mapStream(`0:${index}`))
    .videoFilters([{ filter: 'scale', options: { ...box, force_original_aspect_ratio: 'decrease' } }])
}

/** Writes a JPEG of a representative frame, or of an audio file's cover. Returns false if there is neither. */
export async function makePoster(
  tools: MediaTools,
  { source, probe, output }: { source: string; probe: Probe; output: string },
  call: EngineCall,
): Promise<boolean> {
  const { video, cover, seconds } = probe
  const film = video && fromFilm(video, source, seconds, threadsFor(tools, video).decoder)
  const picture = film ?? (cover !== null ? fromCover(cover, source) : null)
  if (!picture) return false
  return withWorkspace(dirname(output), async (workspace) => {
    const name = basename(output)
    const path = join(workspace.folder, name)
    const jpeg = ['-q:v', '3', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1']
    const command = picture
      .output(path)
      .frames(1)
      .format('mjpeg')
      .outputOptions(...jpeg)
    const run = await tools.ffmpeg(command, { call, timeout: 120_000 })
    const written =
      run.ok &&
      (await stat(path).then(
        ({ size }) => size > 0,
        () => false,
      ))
    if (written) await workspace.publish([name])
    progressOf(call, 1)(1)
    return written
  })
}
