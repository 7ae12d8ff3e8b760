import { z } from 'zod'
import { findOutboundFault } from '#lib/http.ts'

const longest = 2_000

/** Query parameters of campaigns and click trackers. They do not change the page. */
const ofTrackers = /^(utm_.*|fbclid|gclid|dclid|gbraid|wbraid|msclkid|yclid|mc_[ce]id|igshid)$/i

export const SourceUri = z
  .string()
  .trim()
  .min(1)
  .max(longest)
  .transform((uri, context) => {
    const url = toCanonicalUrl(uri)
    const message = faultOf(url)
    if (message) context.addIssue({ code: 'custom', message })
    return { uri, canonicalUrl: url?.href ?? uri }
  })
  .describe('`https://…`, `http://…` or `doi:10.…`')

function faultOf(url: URL | null): string | undefined {
  if (!url) return 'must be a URL, such as https://example.org/report, or a DOI, such as doi:10.1000/182'
  if (url.href.length > longest) return `must have at most ${longest} characters when it is encoded`
  return findOutboundFault(url)
}

/**
 * Returns the canonical URL of a source, in the form of the URL standard. Removes the fragment and tracking parameters.
 */
function toCanonicalUrl(uri: string): URL | null {
  const url = URL.parse(uri.replace(/^doi:\s*(?=10\.)/i, 'https://doi.org/'))
  if (!url) return null
  url.hash = ''
  // Only existing parameters are deleted, because a deletion also re-encodes the others.
  for (const name of [...url.searchParams.keys()]) if (ofTrackers.test(name)) url.searchParams.delete(name)
  if (url.search === '') url.search = ''
  return url
}
