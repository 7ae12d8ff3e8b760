import { findOutboundFault } from '#lib/http.ts'

const month = '{month}'

/** Returns the possible URLs of a source’s file, newest first, because the file of this month may not exist yet. */
export function listUrls(url: string, at: Date): readonly string[] {
  if (!url.includes(month)) return [url]
  return [0, 1].map((ago) => {
    const first = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - ago, 1))
    return url.replaceAll(month, first.toISOString().slice(0, 7))
  })
}

/** Returns the fault of a source URL. `undefined` if the URL can be fetched. */
export function findUrlFault(text: string): string | undefined {
  const url = URL.parse(text.replaceAll(month, '2000-01'))
  if (url?.protocol !== 'https:' || text.length > 2_000) return 'must be a URL of up to 2,000 characters: https://…'
  if (text.replaceAll(month, '').includes('{')) return 'must be a URL with {month} as its only placeholder'
  return findOutboundFault(url)
}

/** Returns the URL for display, without query values, which can be secrets. */
export function redactUrl(text: string): string {
  const at = text.indexOf('?')
  return at < 0 ? text : `${text.slice(0, at)}?…`
}
