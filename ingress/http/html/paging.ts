import { type Html, html, queryString } from './html.ts'

/** Rows of a page of a list. A page reads one row more, which shows that another page follows. */
export const perPage = 50

type Fields = Record<string, string | number | undefined>

export const olderLink = (path: string, fields: Fields, words = 'Older'): Html =>
  pager(
    html`<a class="button" rel="next" href="${path}${queryString(fields)}">${words} <span aria-hidden="true">→</span></a>`,
  )

/** JavaScript adds links to the first and the previous page, because cursors lead only forward. */
const pager = (next: Html | undefined, cursor = 'before'): Html =>
  html`<nav class="pager" aria-label="Pages" data-cursor="${cursor}"${!next && html` hidden`}>${next}</nav>`

/** Returns the rows of the page, and a function that renders the link to the next page. */
export function cutPage<Row extends { id: string | number }>(found: readonly Row[], size = perPage) {
  const shown = found.slice(0, size)
  const last = found.length > size ? shown.at(-1) : undefined
  const older = (path: string, fields: Fields = {}, cursor = 'before') =>
    last ? olderLink(path, { ...fields, [cursor]: last.id }) : pager(undefined, cursor)
  return { shown, older }
}
