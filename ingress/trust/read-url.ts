import { canonicalUrl, hrefOf } from '#lib/safe-browsing/canonical-url.ts'
import { type Expression, expressionsOf } from '#lib/safe-browsing/expressions.ts'
import type { Readings } from './heuristics.ts'

/** Reads a URL as feeds list it and as browsers take it; undefined for what is none of the web. */
export function readUrl(text: string): Readings | undefined {
  const canonical = canonicalUrl(text)
  const browsers = URL.parse(text)?.host ? URL.parse(text) : URL.parse(`http://${text}`)
  const ofBrowsers = browsers && canonicalUrl(browsers.href)
  if (!canonical || !browsers || !ofBrowsers || !isWeb(canonical.scheme)) return
  return { canonical, browsers, ofBrowsers }
}

const isWeb = (scheme: string) => /^(https?|ftp)$/.test(scheme)

/** The expressions of a URL, and of what browsers take it for where that is another; each once. */
export function expressionsOfAll({ canonical, ofBrowsers }: Readings): Expression[] {
  const all =
    hrefOf(canonical) === hrefOf(ofBrowsers) ? expressionsOf(canonical) : [canonical, ofBrowsers].flatMap(expressionsOf)
  const byText = new Map<string, Expression>()
  for (const one of all) if (one.exact || !byText.has(one.text)) byText.set(one.text, one)
  return [...byText.values()]
}
