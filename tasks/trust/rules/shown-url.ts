/** A feed's URL as operators see it: what stands before the host or in the query may be a secret. */
export function shownUrl(text: string): string {
  const url = URL.parse(text)
  return url ? `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}` : ''
}
