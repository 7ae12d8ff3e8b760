import {
  type CanonicalUrl,
  canonicalizeUnescaped,
  canonicalizeUrl,
  formatUrl,
  isOverlong,
  stripUrl,
} from '#sql/trust/safe-browsing/canonical-url.ts'
import { type Expression, listExpressions } from '#sql/trust/safe-browsing/expressions.ts'
import { createYield } from './turns.ts'

export interface Readings {
  /** The URL as feeds list it. */
  canonical: CanonicalUrl
  /** The URL as browsers read it. `null` if they reject it. */
  browsers: URL | null
  browsersHost: string | null
  /** `canonical` first, then the readings of browsers and of clients that unescape first, if they differ. */
  all: CanonicalUrl[]
}

/** Reads a URL as feeds, browsers and other clients do. Undefined if it is not a web URL. */
export function readUrl(text: string): Readings | undefined {
  const browsers = ofBrowsers(text)
  const ofTheirs = browsers && canonicalizeUrl(browsers.href)
  // Only browsers accept `https:host/path`.
  const canonical = canonicalizeUrl(text) ?? (hasWebScheme.test(stripUrl(text)) ? ofTheirs : undefined)
  if (!canonical || !isWeb(canonical.scheme)) return
  const readings = [canonical, ofTheirs, canonicalizeUnescaped(text)]
  const byHref = new Map(readings.flatMap((one) => (one && isWeb(one.scheme) ? [[formatUrl(one), one]] : [])))
  const browsersHost = browsers && (ofTheirs?.host ?? browsers.hostname)
  return { canonical, browsers, browsersHost, all: [...byHref.values()] }
}

/** Reads URLs as `readUrl` does, and yields to other work of the process. */
export async function readUrls(texts: readonly string[]): Promise<(Readings | undefined)[]> {
  const turn = createYield()
  const read: (Readings | undefined)[] = []
  for (const text of texts) {
    read.push(readUrl(text))
    await turn()
  }
  return read
}

const hasWebScheme = /^(?:https?|ftp):/i

const isWeb = (scheme: string) => /^(https?|ftp)$/.test(scheme)

/** Reads a URL as browsers do: any number of slashes or backslashes starts the host. The default scheme is http. */
function ofBrowsers(text: string): URL | null {
  const bare = stripUrl(text)
  const url = /^(?:(?:https?|ftp):|[a-z][a-z0-9+.-]{0,30}:\/\/)/i.test(bare) ? bare : `http://${bare}`
  const authority = /^[^:]{0,40}:[/\\]*([^/?#\\]*)/.exec(url)?.[1] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return isOverlong(host) ? null : URL.parse(url)
}

export function listAllExpressions({ all }: Readings): Expression[] {
  const expressions = all.flatMap(listExpressions)
  if (all.length === 1) return expressions
  const byHash = new Map<string, Expression>()
  for (const one of expressions) {
    const hash = one.hash.toString('latin1')
    if (one.exact || !byHash.has(hash)) byHash.set(hash, one)
  }
  return [...byHash.values()]
}
