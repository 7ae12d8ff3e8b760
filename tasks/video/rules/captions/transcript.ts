import type { CaptionCue } from '#sql/video/caption-cues.ts'
import type { Cue } from './cues.ts'
import { searchable } from './search-text.ts'
import type { WrittenCue } from './webvtt.ts'

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': ' ',
  '&lrm;': '',
  '&rlm;': '',
}

/** Returns the text of a WebVTT cue without tags and entities, on one line. */
const plainText = (written: string): string =>
  written
    .replace(/<[^<>]{0,1000}>/g, '')
    .replace(/&(?:amp|lt|gt|nbsp|lrm|rlm);/g, (entity) => entities[entity] ?? '')
    .replace(/\s+/g, ' ')
    .trim()

/** Returns the speaker of a WebVTT cue, `null` if it names none or several. */
function speakerOf(written: string): string | null {
  const names = new Set([...written.matchAll(/<v ([^<>]{1,200})>/g)].map(([, name = '']) => plainText(name)))
  return names.size === 1 ? ([...names][0] as string) : null
}

/** Returns the cues of an uploaded file. */
export const cuesOfFile = (written: readonly WrittenCue[]): CaptionCue[] =>
  written.map(({ from, to, text }) => {
    const plain = plainText(text)
    return { from, to, speaker: speakerOf(text), text: plain, searched: searchable(plain), words: null }
  })

/** Returns the cues that were created from words. */
export const cuesOfWords = (cues: readonly Cue[]): CaptionCue[] =>
  cues.map(({ from, to, lines, words }) => {
    const plain = lines.join(' ')
    return { from, to, speaker: null, text: plain, searched: searchable(plain), words }
  })
