import {
  bareUrl,
  type CanonicalUrl,
  canonicalUrl,
  hrefOf,
  isOverlong,
  unescapedUrl,
} from '#sql/trust/safe-browsing/canonical-url.ts'
import { type Expression, expressionsOf } from '#sql/trust/safe-browsing/expressions.ts'
import { takeTurns } from './turns.ts'

/** A URL as it was given, and in the canonical form of each way in which it is read. */
export interface Readings {
  /** As feeds list it. */
  canonical: CanonicalUrl
  /** As browsers take it; null when they take it for none. */
  browsers: URL | null
  /** The host that browsers go to, in its canonical form. */
  browsersHost: string | null
  /** `canonical` first, then what browsers and programs that unescape it first take it for, where that is another. */
  all: CanonicalUrl[]
}

/** Reads a URL as feeds list it, as browsers take it, and as other programs do; undefined for what is none of the web. */
export function readUrl(text: string): Readings | undefined {
  const browsers = ofBrowsers(text)
  const ofTheirs = browsers && canonicalUrl(browsers.href)
  // `https:host/path` is a URL to browsers alone.
  const canonical = canonicalUrl(text) ?? (hasWebScheme.test(bareUrl(text)) ? ofTheirs : undefined)
  if (!canonical || !isWeb(canonical.scheme)) return
  const readings = [canonical, ofTheirs, unescapedUrl(text)]
  const byHref = new Map(readings.flatMap((one) => (one && isWeb(one.scheme) ? [[hrefOf(one), one]] : [])))
  const browsersHost = browsers && (ofTheirs?.host ?? browsers.hostname)
  return { canonical, browsers, browsersHost, all: [...byHref.values()] }
}

/** Reads URLs as `readUrl`, without holding up what else the process does. */
export async function readUrls(texts: readonly string[]): Promise<(Readings | undefined)[]> {
  const turn = takeTurns()
  const read: (Readings | undefined)[] = []
  for (const text of texts) {
    read.push(readUrl(text))
    await turn()
  }
  return read
}

const hasWebScheme = /^(?:https?|ftp):/i

const isWeb = (scheme: string) => /^(https?|ftp)$/.test(scheme)

/** What browsers take a URL for, to whom any number of slashes, either way, begins a host; without a scheme it is one of http. */
function ofBrowsers(text: string): URL | null {
  const bare = bareUrl(text)
  const url = /^(?:(?:https?|ftp):|[a-z][a-z0-9+.-]{0,30}:\/\/)/i.test(bare) ? bare : `http://${bare}`
  const authority = /^[^:]{0,40}:[/\\]*([^/?#\\]*)/.exec(url)?.[1] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return isOverlong(host) ? null : URL.parse(url)
}

/** The expressions of a URL, in each way in which it is read; each once. */
export function expressionsOfAll({ all }: Readings): Expression[] {
  const expressions = all.flatMap(expressionsOf)
  if (all.length === 1) return expressions
  const byHash = new Map<string, Expression>()
  for (const one of expressions) {
    const hash = one.hash.toString('latin1')
    if (one.exact || !byHash.has(hash)) byHash.set(hash, one)
  }
  return [...byHash.values()]
}
