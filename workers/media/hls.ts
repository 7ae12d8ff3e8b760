import { join } from 'node:path'
import type { EngineCall } from '#tasks/video/engine.ts'
import { commandOf, type Input, mapStream } from './command.ts'
import type { MediaTools, RunResult } from './media-tools.ts'

/** A media playlist to be made from one of the inputs, without encoding. */
export interface HlsTrack {
  name: string
  input: Input
  kind: 'video' | 'audio'
  /** Stream of that input, such as `v:0`. */
  stream: string
}

/** What ffmpeg's HLS writer is asked for. */
export interface HlsJob {
  tracks: HlsTrack[]
  /** Seconds after which the next key frame starts a segment. */
  segmentSeconds: number
  folder: string
  /** Of all segments, for the timeout. */
  seconds: number
}

/**
 * Cuts tracks into CMAF segments at key frames, each track with an initialisation file and a media playlist of its own:
 * `<name>.m3u8`, `<name>_init.mp4`, `<name>_00000.m4s` ….
 */
export function writeHls(
  tools: MediaTools,
  { tracks, segmentSeconds, folder, seconds }: HlsJob,
  call: EngineCall,
  onSeconds: (done: number) => void,
): Promise<RunResult> {
  const picture = tracks.some(({ kind }) => kind === 'video')
  const counts = { video: 0, audio: 0 }
  // The group ties the sound to the pictures; without one ffmpeg would want them in one stream.
  const streams = tracks.map(
    ({ kind, name }) => `${kind[0]}:${counts[kind]++}${picture ? ',agroup:sound' : ''},name:${name}`,
  )
  // Of a single track ffmpeg 5.1 takes %v literally in this name, and nowhere else.
  const init = tracks.length === 1 ? `${tracks[0]?.name}_init.mp4` : '%v_init.mp4'
  const command = commandOf(...tracks.map(({ input }) => input))
    .output(join(folder, '%v.m3u8'))
    .format('hls')
    .outputOptions(
      ...tracks.flatMap(({ stream }, i) => mapStream(`${i}:${stream}`)),
      ...['-c', 'copy', '-map_metadata', '-1', '-hls_playlist_type', 'vod', '-hls_segment_type', 'fmp4'],
      // 10 µs less than the frames last, as ffmpeg adds up the requested length: 6 s at 29.97 would cut a group early after half an hour.
      ...['-hls_time', (segmentSeconds - 0.00001).toFixed(6), '-hls_flags', 'independent_segments'],
      // No edit lists, which not every player honours in fragmented files; no negative composition offsets (movflags cmaf), which browsers
      // show at 0 and ffmpeg shows two frames late; no sidx, which would tell the times before `align`.
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
