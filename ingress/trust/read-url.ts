import { type CanonicalUrl, canonicalUrl } from '#lib/safe-browsing/canonical-url.ts'
import { type Expression, expressionsOf } from '#lib/safe-browsing/expressions.ts'
import type { Readings } from './heuristics.ts'

/** Reads a URL as feeds list it and as browsers take it; undefined for what is none of the web. */
export function readUrl(text: string): Readings | undefined {
  const canonical = canonicalUrl(text)
  if (!canonical || !/^(https?|ftp)$/.test(canonical.scheme)) return
  const browsers = URL.parse(text) ?? URL.parse(`http://${text}`)
  const isWeb = browsers !== null && /^(https?|ftp):$/.test(browsers.protocol)
  return { canonical, browsers: isWeb ? browsers : null, ofBrowsers: isWeb ? canonicalUrl(browsers.href) : undefined }
}

/** The expressions of a URL, and of what browsers take it for where that is another; each once. */
export function expressionsOfAll({ canonical, ofBrowsers }: Readings): Expression[] {
  const all = [canonical, ofBrowsers].flatMap((url: CanonicalUrl | undefined) => (url ? expressionsOf(url) : []))
  const byText = new Map<string, Expression>()
  for (const one of all) if (one.exact || !byText.has(one.text)) byText.set(one.text, one)
  return [...byText.values()]
}
