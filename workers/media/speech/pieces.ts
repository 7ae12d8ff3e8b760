import type { Word } from '#tasks/video/rules/captions/speech.ts'

/** Maximum number of words in an aside. If a bracket is still open after these words, the engine made an error. */
const longestAside = 8

/**
 * Joins an engine's tokens into words. A token without a leading space continues the previous word, unless the gap
 * between them is longer than `gap` seconds. If no token has a space, each token is a whole word.
 */
export function joinPieces(pieces: readonly Word[], gap = Number.POSITIVE_INFINITY): Word[] {
  const spaced = pieces.some(({ text }) => /^\s/.test(text))
  const words: Word[] = []
  for (const piece of pieces) {
    const text = piece.text.trim()
    const last = words.at(-1)
    if (text === '') continue
    const goesOn = spaced && /^\S/.test(piece.text)
    if (last && goesOn && piece.from - last.to <= gap) Object.assign(last, { text: last.text + text, to: piece.to })
    else words.push({ ...piece, text })
  }
  return words
}

const closing: Record<string, string> = { '[': ']', '(': ')' }
const endsSentence = (word: Word | undefined) => !word || /[.!?…]["'”’]*$/.test(word.text)

function asideLength(words: readonly Word[], before: Word | undefined): number {
  const [first] = words
  const close = closing[first?.text[0] ?? '']
  const length = close ? words.slice(0, longestAside).findIndex(({ text }) => text.endsWith(close)) + 1 : 0
  // Text in round brackets within a sentence is spoken text.
  return close === ')' && !endsSentence(before) ? 0 : length
}

/** Removes text that is not spoken, such as `[BLANK_AUDIO]` and `(upbeat music)`. */
export function removeAsides(words: readonly Word[]): Word[] {
  const said: Word[] = []
  for (let at = 0; at < words.length; ) {
    const length = asideLength(words.slice(at, at + longestAside), said.at(-1))
    if (length === 0) said.push(words[at] as Word)
    at += length || 1
  }
  return said
}
