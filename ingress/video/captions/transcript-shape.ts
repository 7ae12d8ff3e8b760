import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { StoredCue } from '#sql/video/caption-cues.ts'
import { CaptionSource } from '#sql/video/caption-track.ts'

const times = {
  start: z.number().describe('Start in seconds from the start of the video'),
  end: z.number().describe('End in seconds'),
}

export const Transcript = z
  .object({
    assetId: Id,
    language: z.string(),
    source: CaptionSource,
    engine: z.string().nullable().describe('Speech engine of automatic captions. `null` for uploaded captions.'),
    cues: z.array(
      z.object({
        ...times,
        speaker: z.string().nullable().describe('Speaker that an uploaded WebVTT file names'),
        text: z.string(),
        words: z
          .array(z.object({ ...times, text: z.string() }))
          .nullable()
          .describe('Words with their times. `null` for uploaded and corrected captions.'),
      }),
    ),
  })
  .meta({ id: 'video.Transcript' })

export function presentCue(cue: StoredCue): z.input<typeof Transcript>['cues'][number] {
  const words = cue.words?.map(({ text, from, to }) => ({ start: from, end: to, text })) ?? null
  return { start: cue.from_seconds, end: cue.to_seconds, speaker: cue.speaker, text: cue.text, words }
}

/** Length in seconds of a pause after which a new paragraph starts. */
const paragraphPause = 2

/** Returns the text in paragraphs. */
export function transcriptText(cues: readonly StoredCue[]): string {
  const paragraphs: string[] = []
  let last: StoredCue | undefined
  for (const cue of cues) {
    const continues = last && last.speaker === cue.speaker && cue.from_seconds - last.to_seconds < paragraphPause
    if (continues) paragraphs.push(`${paragraphs.pop()} ${cue.text}`)
    else paragraphs.push(cue.speaker === null ? cue.text : `${cue.speaker}: ${cue.text}`)
    last = cue
  }
  return paragraphs.map((paragraph) => `${paragraph}\n`).join('\n')
}
