import { html } from '../http/html/html.ts'

const word = /[\p{L}\p{N}\p{M}]+/gu

/** Number of characters of the description that are shown around the first match. */
const around = 160

/** Removes case and accents from a text. The database does the same. */
export const foldText = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()

export const splitWords = (folded: string): string[] => [...new Set(folded.match(word) ?? [])]

export const replaceWords = (folded: string, by: ReadonlyMap<string, string>): string =>
  folded.replace(word, (one) => by.get(one) ?? one)

/**
 * Returns escaped HTML. Words that equal or start with one of `words` are in `<mark>`. Returns `null` if there is no
 * match.
 */
export function highlightMatches(text: string, words: readonly string[]): string | null {
  const found = [...text.matchAll(word)].filter(([one]) => words.some((wanted) => foldText(one).startsWith(wanted)))
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

function startBefore(text: string, index: number): number {
  const near = Math.max(0, Math.min(index - around / 4, text.length - around))
  const space = text.slice(near, index).search(/\s/)
  return near === 0 || space === -1 ? Math.min(near, index) : near + space + 1
}
