import { domainToASCII } from 'node:url'
import { canonicalIpv4, canonicalIpv6 } from './canonical-address.ts'

/** A URL as Safe Browsing hashes it: canonical, without credentials, port and fragment. */
export interface CanonicalUrl {
  scheme: string
  /** In ASCII and lower case; IPv6 in brackets. */
  host: string
  /** Whether the host is a name, and no address. */
  named: boolean
  /** Begins with `/`. */
  path: string
  /** Behind the first `?`; undefined when there is none. */
  query: string | undefined
}

/**
 * Canonicalises a URL as Safe Browsing does (developers.google.com/safe-browsing/reference/URLs.and.Hashing); undefined for what
 * names no host. A URL without a scheme is one of http.
 */
export function canonicalUrl(text: string): CanonicalUrl | undefined {
  // From here on each character is a byte.
  const bytes = Buffer.from(text.trim().replace(/[\t\r\n]/g, ''), 'utf8').toString('latin1')
  const parts = split(unescapeAll(bytes.split('#', 1)[0] ?? ''))
  const host = parts && canonicalHost(parts.host)
  if (!parts || !host) return
  const [, path = '', query] = /^([^?]*)(?:\?(.*))?$/s.exec(parts.rest) ?? []
  return {
    scheme: parts.scheme,
    host,
    named: !host.startsWith('[') && canonicalIpv4(host) === undefined,
    path: escapeBytes(canonicalPath(path)),
    query: query === undefined ? undefined : escapeBytes(query),
  }
}

/** The canonical URL as a text. */
export const hrefOf = ({ scheme, host, path, query }: CanonicalUrl): string =>
  `${scheme}://${host}${path}${query === undefined ? '' : `?${query}`}`

/** Percent-unescapes until nothing changes: each round leaves fewer characters. */
function unescapeAll(bytes: string): string {
  for (let text = bytes; ; ) {
    const next = text.replace(/%([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    if (next === text) return text
    text = next
  }
}

/** Scheme, host and what follows it; undefined for other kinds of URLs. */
function split(bytes: string): { scheme: string; host: string; rest: string } | undefined {
  const [, scheme, behind] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/is.exec(bytes) ?? []
  const text = behind ?? bytes
  const end = text.search(/[/?]/)
  const authority = end === -1 ? text : text.slice(0, end)
  const [, host, port] = /^(?:.*@)?(\[[^\]]*\]|[^:]*)(?::(.*))?$/s.exec(authority) ?? []
  if (host === undefined || (port !== undefined && !/^\d*$/.test(port))) return
  if (scheme === undefined && authority.includes('@')) return
  return { scheme: scheme?.toLowerCase() ?? 'http', host, rest: text.slice(authority.length) }
}

function canonicalHost(bytes: string): string | undefined {
  if (bytes.startsWith('[')) return canonicalIpv6(bytes.slice(1, -1))
  const dotted = inAscii(bytes)
    .replace(/\.{2,}/g, '.')
    .replace(/^\.|\.$/g, '')
  return canonicalIpv4(dotted) ?? escapeBytes(dotted.toLowerCase())
}

/** A host name with its international labels in Punycode; labels that are none stay as they are. */
function inAscii(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes
  const text = Buffer.from(bytes, 'latin1').toString('utf8')
  if (text.includes('\ufffd')) return bytes
  // The first three are dots to IDNA, too (UTS #46).
  const labels = text.split(/[.\u3002\uff0e\uff61]/)
  return labels.map((label) => domainToASCII(label) || Buffer.from(label, 'utf8').toString('latin1')).join('.')
}

function canonicalPath(path: string): string {
  const kept: string[] = []
  const parts = path.split('/').slice(1)
  for (const part of parts) {
    if (part === '..') kept.pop()
    else if (part !== '' && part !== '.') kept.push(part)
  }
  const isFolder = ['', '.', '..'].includes(parts.at(-1) ?? '')
  return `/${kept.join('/')}${isFolder && kept.length > 0 ? '/' : ''}`
}

const escapeBytes = (bytes: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped.
  bytes.replace(/[\x00-\x20\x7f-\xff#%]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
