import { parse } from 'tldts'

/** Maximum length of a host name (RFC 1035, 2.3.4). */
const mostCharacters = 253

const parsed = (host: string) => parse(host, { allowPrivateDomains: true, validateHostname: false })

/** True if other organisations have hosts under this one (publicsuffix.org), such as `co.uk` and `github.io`. */
export function isPublicSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parsed(host)
  return publicSuffix === host && (isIcann === true || isPrivate === true)
}

/** Returns a host and its parents that can belong to one organisation, nearest first. Omits names that are too long. */
export function listHostAndParents(host: string): string[] {
  const { publicSuffix, isIcann, isPrivate, isIp } = parsed(host)
  const suffix = isIcann || isPrivate ? (publicSuffix ?? '') : ''
  const labels = isIp || host.startsWith('[') ? [host] : host.slice(-mostCharacters - 1).split('.')
  const hosts = labels.map((_, at) => labels.slice(at).join('.'))
  return hosts.filter(({ length }) => length <= mostCharacters && length > suffix.length)
}
