import { outboundFaultOf } from '#lib/http.ts'

/** What stands in an address for the month of a file that is published monthly. */
const month = '{month}'

/** The addresses under which a source's file may lie at an instant, the newest first: that of this month may not be there yet. */
export function urlsOf(url: string, at: Date): readonly string[] {
  if (!url.includes(month)) return [url]
  return [0, 1].map((ago) => {
    const first = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - ago, 1))
    return url.replaceAll(month, first.toISOString().slice(0, 7))
  })
}

/** What is wrong with the address of a source; undefined when it may be fetched. */
export function faultOfSourceUrl(text: string): string | undefined {
  const url = URL.parse(text.replaceAll(month, '2000-01'))
  if (url?.protocol !== 'https:' || text.length > 2_000) return 'must be a URL of up to 2,000 characters: https://…'
  if (text.replaceAll(month, '').includes('{')) return 'must be a URL with {month} as its only placeholder'
  return outboundFaultOf(url)
}

/** The address of a source as it is shown: what may be a key in its query is not. */
export function shownUrl(text: string): string {
  const at = text.indexOf('?')
  return at < 0 ? text : `${text.slice(0, at)}?…`
}
