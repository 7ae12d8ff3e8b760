import { join } from 'node:path'
import type { EngineCall } from '#tasks/video/engine.ts'
import { createCommand, type Input, mapStream } from '../command.ts'
import type { MediaTools, RunResult } from '../media-tools.ts'

export interface HlsTrack {
  name: string
  input: Input
  kind: 'video' | 'audio'
  stream: string
}

export interface HlsJob {
  tracks: HlsTrack[]
  /** Duration in seconds after which the next key frame starts a segment. */
  segmentSeconds: number
  folder: string
  seconds: number
}

/**
 * Cuts tracks into CMAF segments at key frames. Each track has an initialisation file and a media playlist:
 * `<name>.m3u8`, `<name>_init.mp4`, `<name>_00000.m4s` and so on.
 */
export function writeHls(
  tools: MediaTools,
  { tracks, segmentSeconds, folder, seconds }: HlsJob,
  call: EngineCall,
  onSeconds: (done: number) => void,
): Promise<RunResult> {
  const picture = tracks.some(({ kind }) => kind === 'video')
  const counts = { video: 0, audio: 0 }
  // The group connects audio with video. Without the group, ffmpeg expects both in one stream.
  const streams = tracks.map(
    ({ kind, name }) => `${kind[0]}:${counts[kind]++}${picture ? ',agroup:sound' : ''},name:${name}`,
  )
  // With a single track, ffmpeg 5.1 does not replace %v in this name.
  const init = tracks.length === 1 ? `${tracks[0]?.name}_init.mp4` : '%v_init.mp4'
  const command = createCommand(...tracks.map(({ input }) => input))
    .output(join(folder, '%v.m3u8'))
    .format('hls')
    .outputOptions(
      ...tracks.flatMap(({ stream }, i) => mapStream(`${i}:${stream}`)),
      ...['-c', 'copy', '-map_metadata', '-1', '-hls_playlist_type', 'vod', '-hls_segment_type', 'fmp4'],
      // 10 µs less than the duration of the frames, because ffmpeg adds up the requested length. With exactly 6 s at
      // 29.97, ffmpeg would cut one group early after half an hour.
      ...['-hls_time', (segmentSeconds - 0.00001).toFixed(6), '-hls_flags', 'independent_segments'],
      // No edit lists, which not every player supports in fragmented files. No negative composition offsets (movflags
      // cmaf), which browsers show at 0 and ffmpeg shows two frames late. No sidx, which would contain the times before
      // `align`.
      ...['-hls_segment_options', 'use_editlist=0:movflags=+default_base_moof+skip_sidx'],
      ...['-hls_fmp4_init_filename', init, '-hls_segment_filename', join(folder, '%v_%05d.m4s')],
      ...['-var_stream_map', streams.join(' ')],
    )
  return tools.ffmpeg(command, {
    call,
    timeout: 300_000 + seconds * 1_000,
    onProgress: (done) => onSeconds(done.seconds),
  })
}
