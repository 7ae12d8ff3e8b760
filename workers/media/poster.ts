import { stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { EngineCall, Probe, VideoTrack } from '#tasks/video/transcode/engine.ts'
import { displaySize, type Size } from '#tasks/video/transcode/ladder.ts'
import type { MediaTools } from './media-tools.ts'
import { normalise } from './picture.ts'
import { threadsFor } from './threads.ts'
import { untrusted } from './untrusted.ts'
import { inWorkspace, progressOf } from './workspace.ts'

/** Longest side of a poster, in pixels. */
const longest = 1280

/** Frames from which the one nearest to their mean is taken, which leaves out flashes and fades. */
const candidates = 24

function posterSize(video: VideoTrack): Size {
  const shown = displaySize(video)
  const scale = Math.min(1, longest / Math.max(shown.width, shown.height))
  const even = (length: number) => Math.max(2, Math.round((length * scale) / 2) * 2)
  return { width: even(shown.width), height: even(shown.height) }
}

/** A frame from a tenth into the film, at most 60 s: past the titles, and near a key frame. */
function fromFilm(video: VideoTrack, source: string, seconds: number, threads: number): string[] {
  const at = Math.min(60, seconds / 10)
  const filters = [
    ...(video.interlaced ? ['bwdif'] : []),
    ...normalise(video, posterSize(video)),
    `thumbnail=n=${candidates}`,
  ]
  return [
    ...['-threads', String(threads), '-noaccurate_seek', '-ss', at.toFixed(3), ...untrusted(source)],
    ...['-map', `0:${video.index}`, '-vf', filters.join(',')],
  ]
}

function fromCover(index: number, source: string): string[] {
  const fit = `scale=w='min(${longest},iw)':h='min(${longest},ih)':force_original_aspect_ratio=decrease`
  return [...untrusted(source), '-map', `0:${index}`, '-vf', fit]
}

/** Writes a JPEG of a representative frame, or of a sound file's cover; false when there is neither. */
export async function makePoster(
  tools: MediaTools,
  { source, probe, output }: { source: string; probe: Probe; output: string },
  call: EngineCall,
): Promise<boolean> {
  const { video, cover, seconds } = probe
  const film = video && fromFilm(video, source, seconds, threadsFor(tools, video).decoder)
  const picture = film ?? (cover !== null ? fromCover(cover, source) : null)
  if (!picture) return false
  return inWorkspace(dirname(output), async (workspace) => {
    const name = basename(output)
    const path = join(workspace.folder, name)
    const jpeg = ['-frames:v', '1', '-q:v', '3', '-pix_fmt', 'yuvj420p', '-map_metadata', '-1', '-f', 'mjpeg', path]
    const run = await tools.run({ tool: 'ffmpeg', args: [...picture, ...jpeg], call, timeout: 120_000 })
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
