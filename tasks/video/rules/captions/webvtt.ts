import type { Cue } from './cues.ts'

/** WebVTT 3.1: hours have two or more digits. */
function timestamp(seconds: number): string {
  const ms = Math.round(seconds * 1000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, '0')}`
}

/** WebVTT 4.2.2: `&` and `<` must be escaped in cue text. `>` is also escaped, so that no line can contain an arrow. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** RFC 8216 3.5: the clock of the cues is the clock of the media, which starts at 0. */
const head = 'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n'

export interface WrittenCue {
  from: number
  to: number
  settings: string
  text: string
}

export function rewriteWebvtt(cues: readonly WrittenCue[]): string {
  const blocks = cues.map(
    ({ from, to, settings, text }) =>
      `${timestamp(from)} --> ${timestamp(to)}${settings === '' ? '' : ` ${settings}`}\n${text}\n`,
  )
  return [head, ...blocks].join('\n')
}

export function writeWebvtt(cues: readonly Pick<Cue, 'from' | 'to' | 'lines'>[]): string {
  const blocks = cues.map(
    ({ from, to, lines }) => `${timestamp(from)} --> ${timestamp(to)}\n${lines.map(escaped).join('\n')}\n`,
  )
  return [head, ...blocks].join('\n')
}

const timing = /^(\d{2,}):(\d\d):(\d\d\.\d{3}) --> (\d{2,}):(\d\d):(\d\d\.\d{3})(?: [^\n]*)?$/m

/**
 * Cuts a file written by `webvtt` into segments. A cue is in every segment during which it is shown, with its full
 * times (draft-pantos-hls-rfc8216bis 3.1.4), so that players recognise it. Cues after the last segment’s end are in the
 * last segment.
 */
export function cutWebvtt(text: string, lengths: readonly number[]): string[] {
  const segments: string[][] = lengths.map(() => [head])
  const starts = [0]
  for (const seconds of lengths) starts.push((starts.at(-1) as number) + seconds)
  const last = segments.length - 1
  let first = 0
  for (const block of text.split('\n\n')) {
    const [from, to] = timesOf(block) ?? []
    if (from === undefined || to === undefined) continue
    while (first < last && from >= (starts[first + 1] as number)) first++
    for (let i = first; i <= last && (i === first || (starts[i] as number) < to); i++)
      segments[i]?.push(`${block.trimEnd()}\n`)
  }
  return segments.map((blocks) => blocks.join('\n'))
}

function timesOf(block: string): [number, number] | undefined {
  const [h, m, s, toH, toM, toS] = timing.exec(block)?.slice(1).map(Number) ?? []
  if (toS === undefined) return undefined
  return [seconds(h, m, s), seconds(toH, toM, toS)]
}

const seconds = (h = 0, m = 0, s = 0) => h * 3600 + m * 60 + s
