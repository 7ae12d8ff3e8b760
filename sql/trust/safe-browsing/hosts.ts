import { parse } from 'tldts'

/** Of a host name (RFC 1035, 2.3.4). */
const mostCharacters = 253

const parsed = (host: string) => parse(host, { allowPrivateDomains: true, validateHostname: false })

/** Whether a host is one below which others have theirs (publicsuffix.org), as `co.uk` and `github.io`. */
export function isPublicSuffix(host: string): boolean {
  const { publicSuffix, isIcann, isPrivate } = parsed(host)
  return publicSuffix === host && (isIcann === true || isPrivate === true)
}

/** A host and all above it that may be one's own, the nearest first; none longer than a host name can be. */
export function hostsUpTo(host: string): string[] {
  const { publicSuffix, isIcann, isPrivate, isIp } = parsed(host)
  const suffix = isIcann || isPrivate ? (publicSuffix ?? '') : ''
  const labels = isIp || host.startsWith('[') ? [host] : host.slice(-mostCharacters - 1).split('.')
  const hosts = labels.map((_, at) => labels.slice(at).join('.'))
  return hosts.filter(({ length }) => length <= mostCharacters && length > suffix.length)
}
