import { z } from 'zod'
import type { Word } from '#tasks/video/speech.ts'

const times = { start: z.number(), end: z.number() }

/** What `/audio/transcriptions` answers for `verbose_json`; servers differ in which of words and segments they tell. */
export const VerboseJson = z.object({
  text: z.string().default(''),
  words: z.array(z.object({ word: z.string(), ...times })).nullish(),
  segments: z.array(z.object({ text: z.string(), ...times })).nullish(),
})

/** The parsed answer. */
export type VerboseJson = z.infer<typeof VerboseJson>

const tokens = (text: string) => text.split(/\s+/).filter(Boolean)
const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

/** How many tokens ahead a word is looked for in the text. */
const ahead = 4

/** The words as the text spells them: servers tell times without the punctuation that the text has. */
function punctuate(words: Word[], text: string): Word[] {
  const spelt = tokens(text)
  let next = 0
  return words.map((word) => {
    const found = spelt.slice(next, next + ahead).findIndex((token) => letters(token) === letters(word.text))
    if (found < 0) return word
    next += found + 1
    return { ...word, text: spelt[next - 1] as string }
  })
}

/** The words of a text whose own times are not told, each as long as its letters are of all. */
function spread(text: string, from: number, to: number): Word[] {
  const all = tokens(text)
  const total = all.reduce((sum, token) => sum + token.length, 0)
  let said = 0
  return all.map((token) => {
    const at = (letters: number) => from + ((to - from) * letters) / total
    const word = { text: token, from: at(said), to: at(said + token.length) }
    said += token.length
    return word
  })
}

/** The words of an answer, with the best times that it tells. */
export function wordsOf({ text, words, segments }: VerboseJson, seconds: number): Word[] {
  if (words?.length) {
    const said = words.map(({ word, start, end }) => ({ text: word.trim(), from: start, to: end }))
    return punctuate(said, text || (segments ?? []).map((segment) => segment.text).join(' '))
  }
  if (segments?.length) return segments.flatMap((segment) => spread(segment.text, segment.start, segment.end))
  return spread(text, 0, seconds)
}
