import { log } from '#lib/log.ts'
import type { SegmentSamples } from '../../media/samples.ts'
import type { Exit } from '../../sandbox/process-group.ts'
import { outputOf } from '../../sandbox/program-output.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { readFragments } from './fragment-reader.ts'
import { leapFilters, videoTimescale } from './rebase.ts'
import type { Track } from './tracks.ts'

export interface PackagerRun {
  ffmpeg: string
  input: string
  inputOptions: readonly string[]
  /** Whether pictures and sound are waited for, where a stream is joined that has both: its next key frame may be seconds away. */
  awaitsBoth: boolean
  signal: AbortSignal
  /** Called once, with `ftyp` and `moov`; a run whose tracks it refuses by throwing is over. */
  onInit(init: Buffer, tracks: Track[]): Promise<void>
  onSamples(samples: SegmentSamples): void
}

/** As long as a timer can be, in milliseconds: a publication has no end of its own. */
const forever = 2 ** 31 - 1

/** How long ffmpeg looks for tracks, in microseconds and bytes; it begins as soon as it knows two, whatever it might learn of their rate. */
const joining = ['-analyzeduration', '15000000', '-probesize', '8000000', '-fpsprobesize', '0']
const beginning = ['-analyzeduration', '1000000', '-probesize', '200000']

/** Seconds by which no clock leaps, as RTMP counts milliseconds in 32 bits: otherwise ffmpeg would make times up. */
const beyondLeaps = String(2 ** 32 / 1000)

/**
 * What the input may be: what nginx plays, or a local file of a kind that encoders write. A playlist or a list of files is
 * neither, which would have ffmpeg open what it names.
 */
export const whitelistsOf = (input: string): string[] =>
  input.startsWith('rtmp:')
    ? ['-protocol_whitelist', 'rtmp,tcp', '-format_whitelist', 'flv,live_flv']
    : ['-protocol_whitelist', 'file', '-format_whitelist', 'flv,mpegts,mov']

/**
 * A fragment for every frame: parts are cut out of their samples. Not with `-fflags nobuffer`: that throws away what was probed, so that
 * frames of the first second are missing (measured).
 */
function command({ ffmpeg, input, inputOptions, awaitsBoth }: PackagerRun): string[] {
  const isTransportStream = /^srt:|\.ts$/.test(input)
  const audioFilters = [...(isTransportStream ? ['aac_adtstoasc'] : []), leapFilters.audio].join(',')
  return [
    // It ends with the worker, however that ends; what a stranger sends takes no more memory than this, nor files.
    ...['setpriv', '--pdeathsig', 'KILL', '--', 'prlimit', `--as=${2 ** 30}`, '--nofile=64', '--core=0', '--'],
    ...[ffmpeg, '-nostdin', '-hide_banner', '-loglevel', 'error'],
    ...whitelistsOf(input),
    ...['-dts_error_threshold', beyondLeaps, '-correct_ts_overflow', '0'],
    ...[...(awaitsBoth ? joining : beginning), ...inputOptions, '-i', input],
    ...['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-bsf:v', leapFilters.video, '-bsf:a', audioFilters],
    // A publisher that announces sound and sends none holds its pictures back for this long, in microseconds.
    ...['-max_interleave_delta', '500000', '-f', 'mp4'],
    // Each track begins at its own time, which no B-frame makes negative.
    ...['-use_editlist', '0', '-avoid_negative_ts', 'disabled', '-output_ts_offset', '10'],
    ...['-video_track_timescale', String(videoTimescale), '-frag_duration', '1'],
    ...['-movflags', '+empty_moov+default_base_moof+frag_discont', '-flush_packets', '1', 'pipe:1'],
  ]
}

/** Runs ffmpeg on an input until that ends, and hands out what it copies. */
export async function runPackager(run: PackagerRun): Promise<Exit> {
  const output = outputOf({
    command: command(run),
    path: usualPath,
    signal: run.signal,
    timeout: forever,
    called: 'The packager',
    onLine(pipe, line) {
      // An input's address may carry a passphrase.
      if (pipe === 2) log.warn({ line: line.replaceAll(run.input, 'input').slice(0, 300) }, 'live packager')
    },
  })
  let exit: Exit = { code: null, signal: null }
  async function* bytes() {
    exit = yield* output
  }
  await readFragments(bytes(), run)
  return exit
}
