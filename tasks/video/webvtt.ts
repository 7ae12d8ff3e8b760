import type { Cue } from './cues.ts'

/** WebVTT 3.1: hours are two digits or more. */
function timestamp(seconds: number): string {
  const ms = Math.round(seconds * 1000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}.${String(ms % 1000).padStart(3, '0')}`
}

/** WebVTT 4.2.2: `&` and `<` must be escaped in cue text; with `>` escaped too, no line can hold an arrow. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/**
 * Writes cues as a WebVTT file that is also an HLS segment (RFC 8216 3.5): its clock is that of the media, which begins at 0.
 */
export function webvtt(cues: readonly Cue[]): string {
  const head = 'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n'
  const blocks = cues.map(
    ({ from, to, lines }) => `${timestamp(from)} --> ${timestamp(to)}\n${lines.map(escaped).join('\n')}\n`,
  )
  return [head, ...blocks].join('\n')
}
