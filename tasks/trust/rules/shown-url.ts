/** Returns a feed’s URL without credentials and query, which may be secret. */
export function redactUrl(text: string): string {
  const url = URL.parse(text)
  return url ? `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}` : ''
}
