import { fold } from '#sql/wiki/fold.ts'

const around = 120

const word = /[\p{L}\p{N}\p{M}]+/gu

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => escapes[sign] as string)

export function listQueryWords(query: string): ReadonlySet<string> {
  const wanted = query.replace(/(?<=^|\s)-(?:"[^"]*"|\S+)/g, ' ')
  return new Set(wanted.match(word)?.map(fold))
}

export function highlightWords(text: string, words: ReadonlySet<string>): string {
  let [html, from] = ['', 0]
  for (const { 0: found, index } of text.matchAll(word)) {
    if (!words.has(fold(found))) continue
    html += `${escaped(text.slice(from, index))}<mark>${escaped(found)}</mark>`
    from = index + found.length
  }
  return html + escaped(text.slice(from))
}

/**
 * Returns the text around the first match, or the start of the text, as escaped HTML. Matching words are in `<mark>`.
 */
export function excerpt(text: string, words: ReadonlySet<string>): string {
  let at = 0
  for (const { 0: found, index } of text.matchAll(word)) {
    if (!words.has(fold(found))) continue
    at = index
    break
  }
  const from = at <= around ? 0 : at - around + Math.max(text.slice(at - around, at).search(/\s/) + 1, 0)
  const end = text.slice(at, at + 2 * around)
  const to = at + 2 * around >= text.length ? text.length : at + Math.max(end.lastIndexOf(' '), end.search(/\s|$/))
  const cut = text.slice(from, to).toWellFormed().replace(/\s+/g, ' ').trim()
  return `${from > 0 ? '… ' : ''}${highlightWords(cut, words)}${to < text.length ? ' …' : ''}`
}
