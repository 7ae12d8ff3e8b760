import { domainToUnicode } from 'node:url'
import { findLookalike, listMixedScripts } from './confusables.ts'
import type { Readings } from './read-url.ts'

export interface Reason {
  code: string
  detail: string
}

/** Returns suspicious signs of the URL itself. None of them proves that it is malicious. */
export function findSuspiciousSigns({ canonical, browsers, browsersHost, all }: Readings): Reason[] {
  const reasons: Reason[] = []
  const add = (code: string, detail: string) => reasons.push({ code, detail })
  if (browsers && (browsers.username !== '' || browsers.password !== '')) {
    add('credentials_in_url', `The text before the @ is not a host. The URL leads to ${browsers.host}.`)
  }
  const ambiguity = ambiguous(browsersHost, all)
  if (ambiguity) add('ambiguous_host', ambiguity)
  if (!canonical.named) add('address_as_host', `The host is the IP address ${canonical.host} instead of a name.`)
  for (const label of internationalLabels(canonical.host)) {
    const [taken, mixed] = [findLookalike(label), listMixedScripts(label)]
    if (taken) add('lookalike', `${label} looks like ${taken}, but is a different name.`)
    if (mixed.length > 0) add('mixed_scripts', `${label} mixes scripts: ${mixed.join(' and ')}.`)
  }
  return reasons
}

/** Returns the hosts of browsers and other clients if they differ. */
function ambiguous(host: string | null, all: Readings['all']): string | undefined {
  const others = new Set(all.map((reading) => reading.host))
  if (host !== null) others.delete(host)
  if (others.size === 0) return
  const where = host === null ? 'Browsers reject the URL' : `Browsers go to ${host}`
  return `${where}. Other clients go to ${[...others].join(' or ')}.`
}

/** Maximum length of a host name in characters. Longer host names cannot exist. */
const mostCharacters = 253

/** Returns the labels of a host that are not ASCII, without the last one. Empty if the last one has its own script. */
function internationalLabels(host: string): string[] {
  if (!host.includes('xn--') || host.length > mostCharacters) return []
  const labels = host.split('.')
  if (labels.at(-1)?.startsWith('xn--')) return []
  return labels.slice(0, -1).flatMap((label) => {
    const text = label.startsWith('xn--') ? domainToUnicode(label) : ''
    return text === '' || text === label ? [] : [text]
  })
}
