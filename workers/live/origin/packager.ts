import { once } from 'node:events'
import type { Writable } from 'node:stream'
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
  /** A file, or what its process is told apart by where it is fed. */
  input: string
  inputOptions: readonly string[]
  /** An FLV file as it comes, in place of the file. */
  feed: AsyncIterable<Buffer> | undefined
  signal: AbortSignal
  /** Called once, with `ftyp` and `moov`; a run whose tracks it refuses by throwing is over. */
  onInit(init: Buffer, tracks: Track[]): void
  onSamples(samples: SegmentSamples): void
}

/** As long as a timer can be, in milliseconds: a publication has no end of its own. */
const forever = 2 ** 31 - 1

/** How long ffmpeg looks for tracks, in microseconds and bytes; a feed has all of them from its beginning. */
const probing = ['-analyzeduration', '1000000', '-probesize', '200000']
const probingFeed = [...probing, '-fpsprobesize', '0', '-f', 'flv']

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
function command({ ffmpeg, input, inputOptions, feed }: PackagerRun): string[] {
  const isTransportStream = /^srt:|\.ts$/.test(input)
  const audioFilters = [...(isTransportStream ? ['aac_adtstoasc'] : []), leapFilters.audio].join(',')
  return [
    // It ends with the worker, however that ends; what a stranger sends takes no more memory than this, nor files.
    ...['setpriv', '--pdeathsig', 'KILL', '--', 'prlimit', `--as=${2 ** 30}`, '--nofile=64', '--core=0', '--'],
    ...[ffmpeg, '-nostdin', '-hide_banner', '-loglevel', 'error'],
    ...(feed ? fed : whitelistsOf(input)),
    ...['-dts_error_threshold', beyondLeaps, '-correct_ts_overflow', '0'],
    ...(feed ? [...probingFeed, '-i', 'pipe:0'] : [...probing, ...inputOptions, '-i', input]),
    ...['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-bsf:v', leapFilters.video, '-bsf:a', audioFilters],
    // A publisher that announces sound and sends none holds its pictures back for this long, in microseconds.
    ...['-max_interleave_delta', '500000', '-f', 'mp4'],
    // Each track begins at its own time, which no B-frame makes negative.
    ...['-use_editlist', '0', '-avoid_negative_ts', 'disabled', '-output_ts_offset', '10'],
    ...['-video_track_timescale', String(videoTimescale), '-frag_duration', '1'],
    ...['-movflags', '+empty_moov+default_base_moof+frag_discont', '-flush_packets', '1'],
    // For who looks at the processes of a host: a name that MP4 has no place for, so that it is not written.
    ...(feed ? ['-metadata', `millrace=${input}`] : []),
    'pipe:1',
  ]
}

/** What ffmpeg may open where it is fed. */
const fed = ['-protocol_whitelist', 'pipe', '-format_whitelist', 'flv,live_flv']

/** Runs ffmpeg on an input until that ends, and hands out what it copies. */
export async function runPackager(run: PackagerRun): Promise<Exit> {
  const output = outputOf({
    command: command(run),
    path: usualPath,
    signal: run.signal,
    timeout: forever,
    called: 'The packager',
    ...(run.feed && { onInput: (pipe: Writable) => void pour(run.feed as AsyncIterable<Buffer>, pipe) }),
    onLine(pipe, line) {
      // An input's address may carry a passphrase.
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

/** Writes a feed to a pipe, no faster than that is read, until either ends. */
async function pour(feed: AsyncIterable<Buffer>, pipe: Writable): Promise<void> {
  try {
    for await (const bytes of feed) {
      if (pipe.destroyed) return
      if (!pipe.write(bytes)) await Promise.race([once(pipe, 'drain'), once(pipe, 'close')])
    }
    pipe.end()
  } catch (error) {
    // What came before is still packaged.
    log.debug({ err: error }, 'the input of a packager ended')
    pipe.end()
  }
}
