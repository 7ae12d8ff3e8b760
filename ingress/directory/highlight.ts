import { html } from '../http/console/html.ts'

const word = /[\p{L}\p{N}\p{M}]+/gu

/** Characters of a description around what was found in it. */
const around = 160

/** A text as words are compared: without case and accents, as the database folds it. */
export const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()

/** The words of a folded text. */
export const wordsOf = (folded: string): string[] => [...new Set(folded.match(word) ?? [])]

/** A folded text with other words in place of some. */
export const replaced = (folded: string, by: ReadonlyMap<string, string>): string =>
  folded.replace(word, (one) => by.get(one) ?? one)

/** A text as HTML with what is one of the words, or begins with it, in `<mark>`; null when nothing is. */
export function highlight(text: string, words: readonly string[]): string | null {
  const found = [...text.matchAll(word)].filter(([one]) => words.some((wanted) => fold(one).startsWith(wanted)))
  const [first] = found
  if (!first) return null
  const from = text.length <= around ? 0 : startBefore(text, first.index)
  const to = Math.min(text.length, from + around)
  let marked = from > 0 ? '…' : ''
  let at = from
  for (const { 0: one, index } of found) {
    if (index < from || index + one.length > to) continue
    marked += html`${text.slice(at, index)}<mark>${one}</mark>`.text
    at = index + one.length
  }
  return marked + html`${text.slice(at, to)}${to < text.length && '…'}`.text
}

/** Where an excerpt begins: at a word, some way before what was found. */
function startBefore(text: string, index: number): number {
  const near = Math.max(0, Math.min(index - around / 4, text.length - around))
  const space = text.slice(near, index).search(/\s/)
  return near === 0 || space === -1 ? Math.min(near, index) : near + space + 1
}
