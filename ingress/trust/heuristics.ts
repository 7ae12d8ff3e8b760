import { domainToUnicode } from 'node:url'
import type { CanonicalUrl } from '#lib/safe-browsing/canonical-url.ts'
import { mixedScripts, takenFor } from './confusables.ts'

/** Why a URL is suspicious: a code for programs, a sentence for people. */
export interface Reason {
  code: string
  detail: string
}

/** A URL as it was given, as feeds list it, and as browsers take it. */
export interface Readings {
  canonical: CanonicalUrl
  browsers: URL
  /** The canonical form of what browsers take it for. */
  ofBrowsers: CanonicalUrl
}

/** What is odd about a URL itself. None of it proves anything: each only makes it suspicious. */
export function oddities({ canonical, browsers, ofBrowsers }: Readings): Reason[] {
  const reasons: Reason[] = []
  const add = (code: string, detail: string) => reasons.push({ code, detail })
  if (browsers.username !== '' || browsers.password !== '') {
    add('credentials_in_url', `What stands before the @ is no host; it leads to ${browsers.host}.`)
  }
  if (ofBrowsers.host !== canonical.host) {
    add('ambiguous_host', `Browsers go to ${ofBrowsers.host}, other programs to ${canonical.host}.`)
  }
  if (!canonical.named) add('address_as_host', `Its host is the address ${canonical.host}, and no name.`)
  for (const label of internationalLabels(canonical.host)) {
    const [taken, mixed] = [takenFor(label), mixedScripts(label)]
    if (taken) add('lookalike', `${label} is taken for ${taken}, and is another name.`)
    if (mixed.length > 0) add('mixed_scripts', `${label} mixes letters of ${mixed.join(' and ')}.`)
  }
  return reasons
}

/** Labels of a host that are not ASCII; not the last one, and none when that is of a script of its own. */
function internationalLabels(host: string): string[] {
  if (!host.includes('xn--')) return []
  const labels = host.split('.')
  if (labels.at(-1)?.startsWith('xn--')) return []
  return labels.slice(0, -1).flatMap((label) => {
    const text = label.startsWith('xn--') ? domainToUnicode(label) : ''
    return text === '' || text === label ? [] : [text]
  })
}
