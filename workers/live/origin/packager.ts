import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { log } from '#lib/log.ts'
import type { SegmentSamples } from '../../media/package/samples.ts'
import type { Exit } from '../../sandbox/process-group.ts'
import { streamOutput } from '../../sandbox/program-output.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { readFragments } from './fragment-reader.ts'
import { clockJumpFilters, videoTimescale } from './rebase.ts'
import type { Track } from './tracks.ts'

export interface PackagerRun {
  ffmpeg: string
  /** A file. If `feed` is set, a name for the process. */
  input: string
  inputOptions: readonly string[]
  /** FLV data that is read instead of a file. */
  feed: AsyncIterable<Buffer> | undefined
  signal: AbortSignal
  /** Called once, with `ftyp` and `moov`. If it throws because of the tracks, the run ends. */
  onInit(init: Buffer, tracks: Track[]): void
  onSamples(samples: SegmentSamples): void
  onFragment?(fragment: Buffer): void
}

/** Maximum duration of a timer in milliseconds. A publication has no fixed end. */
const forever = 2 ** 31 - 1

/** Limits for ffmpeg's search for tracks, in microseconds and bytes. A feed contains all tracks from its start. */
const probing = ['-analyzeduration', '1000000', '-probesize', '200000']
const probingFeed = [...probing, '-fpsprobesize', '0', '-f', 'flv']

/**
 * Duration in seconds that no clock jump exceeds, because RTMP counts milliseconds in 32 bits. With a lower limit,
 * ffmpeg would invent times.
 */
const beyondLeaps = String(2 ** 32 / 1000)

/**
 * Returns the options for allowed inputs: streams that nginx plays, and local files in formats of encoders. Playlists
 * and file lists are excluded, because ffmpeg would open the files in them.
 */
export const getWhitelists = (input: string): string[] =>
  input.startsWith('rtmp:')
    ? ['-protocol_whitelist', 'rtmp,tcp', '-format_whitelist', 'flv,live_flv']
    : ['-protocol_whitelist', 'file', '-format_whitelist', 'flv,mpegts,mov']

/**
 * Writes one fragment per frame. The parts are created from the samples of the fragments. `-fflags nobuffer` is not
 * used, because it discards the probed data, so that frames of the first second are missing (measured).
 */
function command({ ffmpeg, input, inputOptions, feed }: PackagerRun): string[] {
  const isTransportStream = /^srt:|\.ts$/.test(input)
  const audioFilters = [...(isTransportStream ? ['aac_adtstoasc'] : []), clockJumpFilters.audio].join(',')
  return [
    // The packager ends together with the worker. Its memory and files are limited, because the input is untrusted.
    ...['setpriv', '--pdeathsig', 'KILL', '--', 'prlimit', `--as=${2 ** 30}`, '--nofile=64', '--core=0', '--'],
    ...[ffmpeg, '-nostdin', '-hide_banner', '-loglevel', 'error'],
    ...(feed ? fed : getWhitelists(input)),
    ...['-dts_error_threshold', beyondLeaps, '-correct_ts_overflow', '0'],
    ...(feed ? [...probingFeed, '-i', 'pipe:0'] : [...probing, ...inputOptions, '-i', input]),
    ...['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-bsf:v', clockJumpFilters.video, '-bsf:a', audioFilters],
    // If a publisher announces audio but sends none, its video is delayed for this time in microseconds.
    ...['-max_interleave_delta', '500000', '-f', 'mp4'],
    // Each track starts at its own time, and B-frames cannot make it negative.
    ...['-use_editlist', '0', '-avoid_negative_ts', 'disabled', '-output_ts_offset', '10'],
    ...['-video_track_timescale', String(videoTimescale), '-frag_duration', '1'],
    ...['-movflags', '+empty_moov+default_base_moof+frag_discont', '-flush_packets', '1'],
    // Identifies the process in the process list. MP4 has no field for this name, so ffmpeg does not write it.
    ...(feed ? ['-metadata', `millrace=${input}`] : []),
    'pipe:1',
  ]
}

const fed = ['-protocol_whitelist', 'pipe', '-format_whitelist', 'flv,live_flv']

export async function runPackager(run: PackagerRun): Promise<Exit> {
  const output = streamOutput({
    command: command(run),
    path: usualPath,
    signal: run.signal,
    timeout: forever,
    called: 'The packager',
    ...(run.feed && { onInput: (pipe: Writable) => void pour(run.feed as AsyncIterable<Buffer>, pipe) }),
    onLine(pipe, line) {
      // The input URL can contain a passphrase.
      if (pipe === 2) log.warn({ line: line.replaceAll(run.input, 'input').slice(0, 300) }, 'live packager output')
    },
  })
  let exit: Exit = { code: null, signal: null }
  async function* bytes() {
    exit = yield* output
  }
  await readFragments(bytes(), run)
  return exit
}

/** Writes a feed to a pipe as fast as the pipe is read, until one of them ends. */
async function pour(feed: AsyncIterable<Buffer>, pipe: Writable): Promise<void> {
  try {
    for await (const bytes of feed) {
      if (pipe.destroyed) return
      if (!pipe.write(bytes)) await Promise.race([once(pipe, 'drain'), once(pipe, 'close')])
    }
    pipe.end()
  } catch (error) {
    // The data before the error is still packaged.
    log.debug({ err: error }, 'the input of a packager ended')
    pipe.end()
  }
}
