import type { Word } from './speech.ts'

/** A cue: one or two lines, with its start and end time in seconds, and its words. */
export interface Cue {
  from: number
  to: number
  lines: string[]
  words: readonly Word[]
}

/**
 * Maximum number of characters per line and of lines per cue. Readers can follow them, and they fit on every screen.
 */
const lineLength = 42
const linesAtMost = 2
/** Minimum and maximum length of a cue in seconds. The minimum applies only if the next cue leaves room. */
const shortest = 1.2
const longest = 6
/** Length in seconds of a silence that ends a cue. */
const pause = 0.8
/**
 * Length in seconds of a shorter silence, and age of a cue from which that silence ends the cue. It is probably the end
 * of a sentence.
 */
const breath = 0.3
const settled = 2.5
/** Time in seconds for which a cue stays after its last word if no other cue follows. */
const linger = 0.4
/** Minimum time between the starts of cues, in seconds. */
const moment = 0.25

/**
 * Cleans words: removes control characters, splits words that are longer than a line, and makes sure that times never
 * decrease.
 */
function tidy(words: readonly Word[]): Word[] {
  const tidied: Word[] = []
  let at = 0
  for (const { text, from, to } of words) {
    const clean = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
    const start = Math.max(at, Number.isFinite(from) ? from : at)
    const end = Math.max(start, Number.isFinite(to) ? to : start)
    for (const token of clean.split(' ').filter(Boolean).flatMap(fitting))
      tidied.push({ text: token, from: start, to: end })
    at = start
  }
  return tidied
}

function fitting(text: string): string[] {
  const characters = [...text]
  const pieces: string[] = []
  for (let i = 0; i < characters.length; i += lineLength) pieces.push(characters.slice(i, i + lineLength).join(''))
  return pieces
}

const lengthOf = (text: string) => [...text].length

function fill(words: readonly Word[], width: number): string[] {
  const lines: string[] = []
  for (const { text } of words) {
    const last = lines.at(-1)
    if (last !== undefined && lengthOf(last) + 1 + lengthOf(text) <= width) lines[lines.length - 1] = `${last} ${text}`
    else lines.push(text)
  }
  return lines
}

/**
 * Splits words into the same number of lines with the smallest width, because lines of similar length are easier to
 * read.
 */
function balance(words: readonly Word[]): string[] {
  const lines = fill(words, lineLength)
  for (let width = Math.ceil(lengthOf(lines.join(' ')) / lines.length); width < lineLength; width++) {
    const narrow = fill(words, width)
    if (narrow.length === lines.length && narrow.every((line) => lengthOf(line) <= width)) return narrow
  }
  return lines
}

const endsSentence = ({ text }: Word) => /[.!?…]["'”’)\]]*$/.test(text)

function breaksBefore(word: Word, words: readonly Word[]): boolean {
  const [first, last] = [words[0] as Word, words.at(-1) as Word]
  const [silence, lasted] = [word.from - last.to, last.to - first.from]
  if (silence >= pause || (silence >= breath && lasted >= settled) || word.to - first.from > longest) return true
  if (fill([...words, word], lineLength).length > linesAtMost) return true
  return endsSentence(last) && lasted >= shortest
}

function group(words: readonly Word[]): Word[][] {
  const groups: Word[][] = []
  for (const word of words) {
    const current = groups.at(-1)
    if (current && !breaksBefore(word, current)) current.push(word)
    else groups.push([word])
  }
  return groups
}

const round = (seconds: number) => Math.round(seconds * 1000) / 1000

const rounded = ({ text, from, to }: Word): Word => ({ text, from: round(from), to: round(to) })

/**
 * Returns the start time of each group: the time of its first word. If an engine returns equal times, slightly after
 * the previous group.
 */
function startsOf(groups: readonly Word[][]): number[] {
  let earliest = 0
  return groups.map(([first]) => {
    const from = round(Math.max(earliest, (first as Word).from))
    earliest = from + moment
    return from
  })
}

/**
 * Creates cues from words: in order, without overlap, up to two lines of 42 characters, each starting with its first
 * word.
 */
export function createCues(words: readonly Word[]): Cue[] {
  const groups = group(tidy(words))
  const starts = startsOf(groups)
  return groups.map((said, i) => {
    const from = starts[i] as number
    const wanted = Math.max(from + shortest, Math.min((said.at(-1) as Word).to, from + longest) + linger)
    const to = round(Math.min(wanted, starts[i + 1] ?? wanted))
    return { from, to, lines: balance(said), words: said.map(rounded) }
  })
}
