import { type EngineErrorCode, TransientEngineError } from '#lib/engine-trouble.ts'
import { MediaFault, type MediaFaultCode } from '#tasks/video/rules/transcode/media-fault.ts'
import type { Exit } from '../sandbox/process-group.ts'

const troubles: [RegExp, EngineErrorCode, string][] = [
  [/No space left on device|Disk quota exceeded/, 'no_space', 'The scratch disk is full.'],
  [
    /Cannot allocate memory|malloc of size|Resource temporarily unavailable/,
    'no_memory',
    'The media tool ran out of memory.',
  ],
]

/** Message that ffmpeg writes before it reports that it cannot allocate memory for another track. */
const crowded = /exceeds max_streams/

const faults: [RegExp, MediaFaultCode][] = [
  [crowded, 'too_many_tracks'],
  // ffmpeg recognises text and noise named .mp4 as MP4 only by the file name.
  [/detected only with low score/, 'not_media'],
  [/moov atom not found/, 'truncated'],
  [/exceeds specified max pixel count|Picture size \S+ is invalid/, 'too_large'],
  // linear enough: at most 200 characters, which are checked from each start position
  [/Decoder .{0,200}not found|no decoder found|Unsupported codec|Unknown decoder/i, 'unsupported_codec'],
  [/Format not on whitelist|not on whitelist|Invalid data found when processing input|End of file/, 'not_media'],
]

/** Returns the fault of an exit that the input did not cause, or `null` if the input may be the cause. */
function troubleOf({ code, signal }: Exit, messages: string[]): TransientEngineError | null {
  if (signal === 'SIGXCPU' || code === 124)
    return new TransientEngineError('timeout', 'The media tool reached its CPU time limit.')
  if (signal === 'SIGXFSZ') return new TransientEngineError('failed', 'The media tool reached its output limit.')
  // A wrapper reports 128 + signal: 137 for SIGKILL, 143 for SIGTERM. After SIGTERM, ffmpeg itself exits normally with
  // a message.
  const by = signal ?? (code === 137 ? 'SIGKILL' : code === 143 ? 'SIGTERM' : null)
  if (by) return new TransientEngineError('killed', `The media tool was killed by ${by}.`)
  if (messages.some((line) => /received signal/.test(line)))
    return new TransientEngineError('killed', 'The media tool received a request to stop.')
  if (messages.some((line) => crowded.test(line))) return null
  const found = troubles.find(([pattern]) => messages.some((line) => pattern.test(line)))
  return found ? new TransientEngineError(found[1], found[2]) : null
}

/**
 * Throws the fault of a run that failed for a reason different from its input. Speech programs and poppler do not mark
 * lines as errors.
 */
export function requireRun(
  { name, isPlain }: { name: string; isPlain: boolean },
  exit: Exit,
  { messages, errors, lastLine }: { messages: string[]; errors: number; lastLine: string },
): void {
  const trouble = troubleOf(exit, messages)
  if (trouble) throw trouble
  if (exit.code === 127) throw new TransientEngineError('missing', `${name} could not be started. Is it installed?`)
  // A tool that rejects its input logs an error. A tool that fails before it opens its input does not log one.
  if (exit.code !== 0 && errors === 0 && !isPlain)
    throw new TransientEngineError('failed', `${name} exited with ${exit.code}: ${lastLine}`)
}

export function toMediaFault(messages: string[], otherwise: MediaFaultCode): MediaFault {
  const found = faults.find(([pattern]) => messages.some((line) => pattern.test(line)))
  return new MediaFault(found?.[1] ?? otherwise, messages.join('\n'))
}
