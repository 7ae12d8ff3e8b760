import type { Writable } from 'node:stream'
import { log } from '#lib/log.ts'
import { maxPixels } from '../../media/untrusted.ts'
import { requireIsolation } from '../../sandbox/isolation.ts'
import { streamOutput } from '../../sandbox/program-output.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { type FragmentSink, readFragments } from './fragment-reader.ts'
import { videoTimescale } from './rebase.ts'
import { getEncodingOptions, type RenditionFacts } from './renditions.ts'

/** One run of the transcoder. Its output has one track per rendition, in the order of the renditions. */
export interface TranscoderRun extends FragmentSink {
  ffmpeg: string
  renditions: readonly RenditionFacts[]
  signal: AbortSignal
  /** Called with a pipe. The video of the source must be written to this pipe as a fragmented MP4. */
  onInput(pipe: Writable): void
}

/** Maximum duration of a timer in milliseconds. A broadcast has no fixed end. */
const forever = 2 ** 31 - 1

/** Niceness: lower priority than packagers, but higher than the transcoding of uploads. */
const niceness = 5

const limits = { memoryBytes: 2 ** 30, fileBytes: 0, cpuSeconds: 2 ** 31, nice: niceness }

/** Options for writing one fragment per frame with its original times. */
export const fragmentOptions = [
  ...['-f', 'mp4', '-use_editlist', '0', '-avoid_negative_ts', 'disabled'],
  ...['-video_track_timescale', String(videoTimescale), '-frag_duration', '1'],
  ...['-movflags', '+empty_moov+default_base_moof+frag_discont', '-flush_packets', '1', 'pipe:1'],
]

export async function runTranscoder(run: TranscoderRun): Promise<void> {
  const isolate = await requireIsolation(usualPath)
  const output = streamOutput({
    command: [
      ...[...isolate(limits), run.ffmpeg, '-nostdin', '-hide_banner', '-loglevel', 'error'],
      ...['-protocol_whitelist', 'pipe', '-format_whitelist', 'mov', '-max_pixels', String(maxPixels)],
      // A decoder with several threads delays one frame per thread.
      ...['-threads', '1', '-analyzeduration', '0', '-probesize', '2000', '-fpsprobesize', '0'],
      ...['-copyts', '-f', 'mov', '-i', 'pipe:0', ...getEncodingOptions(run.renditions), ...fragmentOptions],
    ],
    path: usualPath,
    signal: run.signal,
    timeout: forever,
    called: 'The transcoder',
    nice: niceness,
    onInput: run.onInput,
    onLine(pipe, line) {
      if (pipe === 2) log.warn({ line: line.slice(0, 300) }, 'live transcoder output')
    },
  })
  let code: number | null = null
  async function* bytes() {
    code = (yield* output).code
  }
  await readFragments(bytes(), run)
  if (code !== 0) throw new Error(`The transcoder exited with ${code}.`)
}
