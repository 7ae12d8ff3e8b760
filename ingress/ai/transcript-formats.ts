import type { Transcript } from '#tasks/ai/rules/transcript.ts'
import { type Cue, createCues } from '#tasks/video/rules/captions/cues.ts'
import { languageName } from '#tasks/video/rules/captions/languages.ts'

export const transcriptFormats = ['json', 'text', 'srt', 'vtt', 'verbose_json'] as const

export type TranscriptFormat = (typeof transcriptFormats)[number]

export interface WrittenTranscript {
  type: string
  text: string
}

/** Writes a transcript. `granularities`: the parts of `verbose_json` with times. */
export function writeTranscript(
  transcript: Transcript,
  format: TranscriptFormat,
  granularities: readonly ('word' | 'segment')[],
): WrittenTranscript {
  const { words, seconds } = transcript
  const text = words.map((word) => word.text).join(' ')
  const usage = { type: 'duration', seconds: Math.ceil(seconds) }
  if (format === 'json') return inJson({ text, usage })
  if (format === 'text') return { type: 'text/plain; charset=utf-8', text: `${text}\n` }
  const cues = createCues(words)
  if (format === 'srt') return { type: 'application/x-subrip; charset=utf-8', text: writeSrt(cues) }
  if (format === 'vtt') return { type: 'text/vtt; charset=utf-8', text: writeVtt(cues) }
  return inJson({
    task: 'transcribe',
    model: transcript.model,
    language: transcript.language === null ? null : languageName(transcript.language).toLowerCase(),
    duration: round(seconds),
    text,
    ...(granularities.includes('segment') && { segments: cues.map(segmentOf) }),
    ...(granularities.includes('word') && {
      words: words.map((word) => ({ word: word.text, start: round(word.from), end: round(word.to) })),
    }),
    usage,
  })
}

const inJson = (body: object): WrittenTranscript => ({
  type: 'application/json; charset=utf-8',
  text: JSON.stringify(body),
})

const round = (seconds: number): number => Math.round(seconds * 1000) / 1000

const segmentOf = ({ from, to, lines }: Cue, id: number): object => ({
  id,
  start: from,
  end: to,
  text: lines.join(' '),
})

/** Returns a time as `00:00:01.500`. SubRip has a comma instead of the point. */
function timestamp(seconds: number, point: string): string {
  const ms = Math.round(seconds * 1000)
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const parts = [two(ms / 3_600_000), two((ms / 60_000) % 60), two((ms / 1000) % 60)]
  return `${parts.join(':')}${point}${String(ms % 1000).padStart(3, '0')}`
}

const writeSrt = (cues: readonly Cue[]): string =>
  cues
    .map(
      ({ from, to, lines }, i) => `${i + 1}\n${timestamp(from, ',')} --> ${timestamp(to, ',')}\n${lines.join('\n')}\n`,
    )
    .join('\n')

/** WebVTT 4.2.2: `&` and `<` must be escaped in cue text. `>` is also escaped, so that no line can contain an arrow. */
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const writeVtt = (cues: readonly Cue[]): string =>
  [
    'WEBVTT\n',
    ...cues.map(
      ({ from, to, lines }) => `${timestamp(from, '.')} --> ${timestamp(to, '.')}\n${lines.map(escaped).join('\n')}\n`,
    ),
  ].join('\n')
