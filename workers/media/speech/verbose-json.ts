import { z } from 'zod'
import type { Word } from '#tasks/video/rules/captions/speech.ts'
import { joinPieces, removeAsides } from './pieces.ts'

const times = { start: z.number().nullish(), end: z.number().nullish() }
const words = z.array(z.object({ word: z.string(), ...times })).nullish()

/**
 * Response of `/audio/transcriptions` for `verbose_json`. Servers differ in whether they return words and segments, and
 * in where they return them.
 */
export const VerboseJson = z
  .object({
    text: z.string().nullish(),
    /** Code or English name of the language. */
    language: z.string().max(100).nullish().catch(null),
    words,
    segments: z.array(z.object({ text: z.string().default(''), words, ...times })).nullish(),
  })
  .refine(({ text, words, segments }) => text != null || words || segments, 'must have text, words or segments')

export type VerboseJson = z.infer<typeof VerboseJson>

type Segment = NonNullable<VerboseJson['segments']>[number]
type Times = Pick<Segment, 'start' | 'end'>

const isTimed = <T extends Times>(item: T): item is T & { start: number; end: number } =>
  item.start != null && item.end != null

const tokens = (text: string) => text.split(/\s+/).filter(Boolean)
const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const ahead = 4

/** Restores the punctuation from the text, because servers return timed words without punctuation. */
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

/** Splits a text without word times into words. Divides its duration by the lengths of the words. */
export function spread(text: string, from: number, to: number): Word[] {
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

function timedWords(words: VerboseJson['words'], unit: number): Word[] | undefined {
  if (!words?.length || !words.every(isTimed)) return
  return joinPieces(words.map(({ word, start, end }) => ({ text: word, from: start * unit, to: end * unit })))
}

function segmentWords(segments: readonly Segment[], unit: number): Word[] | undefined {
  const said: Word[] = []
  for (const segment of segments) {
    const words = timedWords(segment.words, unit)
    if (words) said.push(...words)
    else if (isTimed(segment)) said.push(...spread(segment.text, segment.start * unit, segment.end * unit))
    else return
  }
  return said
}

/** Maximum time in seconds. Larger values come from LocalAI and are in nanoseconds. */
const mostSeconds = 1e6

function unitOf({ words, segments }: VerboseJson): number {
  const latest = Math.max(0, ...[...(words ?? []), ...(segments ?? [])].map(({ end }) => end ?? 0))
  return latest > mostSeconds ? 1e-9 : 1
}

/** Returns the words of a response with the most exact times that the response contains. */
export function wordsOf(answer: VerboseJson, seconds: number): Word[] {
  const segments = answer.segments ?? []
  const text = answer.text || segments.map((segment) => segment.text).join(' ')
  const unit = unitOf(answer)
  const said = timedWords(answer.words, unit)
  if (said) return removeAsides(punctuate(said, text))
  return removeAsides((segments.length > 0 && segmentWords(segments, unit)) || spread(text, 0, seconds))
}
