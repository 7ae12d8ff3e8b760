import type { Word } from './speech.ts'

/** What is shown at once: one or two lines, from one instant to another in seconds. */
export interface Cue {
  from: number
  to: number
  lines: string[]
}

/** Characters of a line, and lines of a cue: what readers follow and every screen has room for. */
const lineLength = 42
const linesAtMost = 2
/** Seconds: a cue is shown as long as this at least, where the next one leaves room, and at most. */
const shortest = 1.2
const longest = 6
/** A silence of so many seconds ends a cue. */
const pause = 0.8
/** A shorter one ends a cue that has lasted for a while: it is where a sentence ends when nothing else tells. */
const breath = 0.3
const settled = 2.5
/** How long a cue stays after its last word when nobody says anything. */
const linger = 0.4
/** Minimum time between the starts of two cues. */
const moment = 0.25

/** Words that can stand in a line: no control characters, none longer than a line, times that never go back. */
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

/** A word cut into pieces of a line's length. */
function fitting(text: string): string[] {
  const characters = [...text]
  const pieces: string[] = []
  for (let i = 0; i < characters.length; i += lineLength) pieces.push(characters.slice(i, i + lineLength).join(''))
  return pieces
}

const lengthOf = (text: string) => [...text].length

/** Words filled into lines from the first on, as few lines as they need. */
function fill(words: readonly Word[], width: number): string[] {
  const lines: string[] = []
  for (const { text } of words) {
    const last = lines.at(-1)
    if (last !== undefined && lengthOf(last) + 1 + lengthOf(text) <= width) lines[lines.length - 1] = `${last} ${text}`
    else lines.push(text)
  }
  return lines
}

/** The same number of lines, the narrowest that hold the words: two of like length read better than a full and a short one. */
function balance(words: readonly Word[]): string[] {
  const lines = fill(words, lineLength)
  for (let width = Math.ceil(lengthOf(lines.join(' ')) / lines.length); width < lineLength; width++) {
    const narrow = fill(words, width)
    if (narrow.length === lines.length && narrow.every((line) => lengthOf(line) <= width)) return narrow
  }
  return lines
}

const endsSentence = ({ text }: Word) => /[.!?…]["'”’)\]]*$/.test(text)

/** Whether a word belongs to the next cue rather than to these. */
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

/** To the millisecond, as WebVTT tells times. */
const round = (seconds: number) => Math.round(seconds * 1000) / 1000

/** When each group is shown from: at its first word, and a moment after the one before it where an engine tells two times alike. */
function startsOf(groups: readonly Word[][]): number[] {
  let earliest = 0
  return groups.map(([first]) => {
    const from = round(Math.max(earliest, (first as Word).from))
    earliest = from + moment
    return from
  })
}

/** Makes cues of words: in order, none over another, at most two lines of 42 characters, each from its first word on. */
export function cuesOf(words: readonly Word[]): Cue[] {
  const groups = group(tidy(words))
  const starts = startsOf(groups)
  return groups.map((said, i) => {
    const from = starts[i] as number
    const wanted = Math.max(from + shortest, Math.min((said.at(-1) as Word).to, from + longest) + linger)
    return { from, to: round(Math.min(wanted, starts[i + 1] ?? wanted)), lines: balance(said) }
  })
}
