import {
  bareUrl,
  type CanonicalUrl,
  canonicalUrl,
  dots,
  hrefOf,
  isOverlong,
  unescapedUrl,
} from '#sql/trust/safe-browsing/canonical-url.ts'
import { type Expression, expressionsOf } from '#sql/trust/safe-browsing/expressions.ts'

/** A URL as it was given, and in the canonical form of each way in which it is read. */
export interface Readings {
  /** As feeds list it. */
  canonical: CanonicalUrl
  /** As browsers take it; null when they take it for none. */
  browsers: URL | null
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
  return { canonical, browsers, all: [...byHref.values()] }
}

const hasWebScheme = /^(?:https?|ftp):/i

const isWeb = (scheme: string) => /^(https?|ftp)$/.test(scheme)

/** What browsers take a URL for, to whom any number of slashes, either way, begins a host; without a scheme it is one of http. */
function ofBrowsers(text: string): URL | null {
  const bare = bareUrl(text)
  const url = /^(?:(?:https?|ftp):|[a-z][a-z0-9+.-]{0,30}:\/\/)/i.test(bare) ? bare : `http://${bare}`
  const authority = /^[^:]{0,40}:[/\\]*([^/?#\\]*)/.exec(url)?.[1] ?? ''
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return host.split(dots).some(isOverlong) ? null : URL.parse(url)
}

/** The expressions of a URL, in each way in which it is read; each once. */
export function expressionsOfAll({ all }: Readings): Expression[] {
  const byText = new Map<string, Expression>()
  for (const one of all.flatMap(expressionsOf)) if (one.exact || !byText.has(one.text)) byText.set(one.text, one)
  return [...byText.values()]
}
