import type { Writable } from 'node:stream'
import { log } from '#lib/log.ts'
import { maxPixels } from '../../media/untrusted.ts'
import { mustIsolate } from '../../sandbox/isolation.ts'
import { outputOf } from '../../sandbox/program-output.ts'
import { usualPath } from '../../sandbox/programs.ts'
import { type FragmentSink, readFragments } from './fragment-reader.ts'
import { videoTimescale } from './rebase.ts'
import { encoding, type RenditionFacts } from './renditions.ts'

/** One run of the program that makes renditions: a track of each, in their order. */
export interface TranscoderRun extends FragmentSink {
  ffmpeg: string
  renditions: readonly RenditionFacts[]
  signal: AbortSignal
  /** Takes where the source's pictures are written to, as a fragmented MP4. */
  onInput(pipe: Writable): void
}

/** As long as a timer can be, in milliseconds: a broadcast has no end of its own. */
const forever = 2 ** 31 - 1

/** It yields to what only copies, and not to what makes ladders of films. */
const niceness = 5

const limits = { memoryBytes: 2 ** 30, fileBytes: 0, cpuSeconds: 2 ** 31, nice: niceness }

/** How a fragment for every picture is written, with the times that it had. */
export const fragmenting = [
  ...['-f', 'mp4', '-use_editlist', '0', '-avoid_negative_ts', 'disabled'],
  ...['-video_track_timescale', String(videoTimescale), '-frag_duration', '1'],
  ...['-movflags', '+empty_moov+default_base_moof+frag_discont', '-flush_packets', '1', 'pipe:1'],
]

/** Makes renditions of pictures until no more come; throws where the program fails. */
export async function runTranscoder(run: TranscoderRun): Promise<void> {
  const isolate = await mustIsolate(usualPath)
  const output = outputOf({
    command: [
      ...[...isolate(limits), run.ffmpeg, '-nostdin', '-hide_banner', '-loglevel', 'error'],
      ...['-protocol_whitelist', 'pipe', '-format_whitelist', 'mov', '-max_pixels', String(maxPixels)],
      // Decoders of several threads hold a picture back for each.
      ...['-threads', '1', '-analyzeduration', '0', '-probesize', '2000', '-fpsprobesize', '0'],
      ...['-copyts', '-f', 'mov', '-i', 'pipe:0', ...encoding(run.renditions), ...fragmenting],
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
