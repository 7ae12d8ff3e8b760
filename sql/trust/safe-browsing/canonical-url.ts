import { domainToASCII } from 'node:url'
import { canonicalIpv4, canonicalIpv6 } from './canonical-address.ts'

/** A URL as Safe Browsing hashes it: canonical, without credentials, port and fragment. */
export interface CanonicalUrl {
  scheme: string
  /** In ASCII and lower case. IPv6 in brackets. */
  host: string
  /** True if the host is a name, not an address. */
  named: boolean
  /** Begins with `/`. */
  path: string
  /** Text after the first `?`. Undefined without one. */
  query: string | undefined
}

/**
 * Canonicalises a URL as Safe Browsing does (developers.google.com/safe-browsing/reference/URLs.and.Hashing). Undefined
 * without a host. The default scheme is http. Credentials are removed before unescaping, because `%2F` in them does not
 * end the host.
 */
export const canonicalizeUrl = (text: string): CanonicalUrl | undefined =>
  canonicalOf(unescapeAll(withoutCredentials(bytesOf(text))))

/** Returns the canonical form for clients that unescape a URL before they parse its credentials. */
export const canonicalizeUnescaped = (text: string): CanonicalUrl | undefined => canonicalOf(unescapeAll(bytesOf(text)))

/**
 * Removes what browsers strip from a URL: control characters and spaces around it, tabs and line ends inside (URL
 * standard §4.4).
 */
export function stripUrl(text: string): string {
  const plain = text.trim()
  let [start, end] = [0, plain.length]
  while (start < end && plain.charCodeAt(start) <= 0x20) start++
  while (end > start && plain.charCodeAt(end - 1) <= 0x20) end--
  return plain.slice(start, end).replace(/[\t\r\n]/g, '')
}

/** Returns a URL as bytes, one per character, without surrounding spaces and fragment. */
function bytesOf(text: string): string {
  const bytes = Buffer.from(stripUrl(text), 'utf8').toString('latin1')
  return bytes.split('#', 1)[0] ?? ''
}

function withoutCredentials(bytes: string): string {
  const [, scheme = '', authority = ''] = /^([a-z][a-z0-9+.-]*:\/\/)([^/?]*)/i.exec(bytes) ?? []
  return scheme + bytes.slice(scheme.length + authority.lastIndexOf('@') + 1)
}

function canonicalOf(bytes: string): CanonicalUrl | undefined {
  const parts = split(bytes)
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

export const formatUrl = ({ scheme, host, path, query }: CanonicalUrl): string =>
  `${scheme}://${host}${path}${query === undefined ? '' : `?${query}`}`

const percent = 0x25

/** Value in `digits` for bytes that are not hexadecimal digits. */
const none = 16

/** Value of each byte as a hexadecimal digit. */
const digits = Uint8Array.from({ length: 256 }, (_, byte) => {
  const digit = '0123456789abcdef'.indexOf(String.fromCharCode(byte).toLowerCase())
  return digit === -1 ? none : digit
})

const digitAt = (bytes: Buffer, at: number): number => digits[bytes[at] ?? 0] ?? none

/**
 * Percent-unescapes until no escape is left. Escapes never overlap, so their order does not matter: each is undone when
 * its last character is known, even if an escape produced it. This takes linear time. Repeated rounds would take
 * quadratic time.
 */
function unescapeAll(bytes: string): string {
  if (!bytes.includes('%')) return bytes
  const kept = Buffer.alloc(bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    kept[length++] = bytes.charCodeAt(at)
    while (length > 2 && kept[length - 3] === percent) {
      const [high, low] = [digitAt(kept, length - 2), digitAt(kept, length - 1)]
      if (high === none || low === none) break
      length -= 2
      kept[length - 1] = 16 * high + low
    }
  }
  return kept.toString('latin1', 0, length)
}

/** Returns scheme, host and rest. Undefined for other kinds of URLs. */
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

/** Characters that IDNA treats as dots (UTS #46). */
const dots = /[.\u3002\uff0e\uff61]/

/**
 * True if a host has too many labels, or a label that is longer than any name allows, after IDNA. Such a host cannot
 * exist, and Punycode takes quadratic time per label.
 */
export function isOverlong(host: string): boolean {
  const labels = host.split(dots)
  return (
    labels.length > 255 ||
    labels.some((label) => label.length > 255 && label.replace(/\p{Default_Ignorable_Code_Point}/gu, '').length > 255)
  )
}

/** Returns a host name with international labels in Punycode. Invalid labels are kept. */
function inAscii(bytes: string): string {
  if (!/[\x80-\xff]/.test(bytes)) return bytes
  const text = Buffer.from(bytes, 'latin1').toString('utf8')
  if (text.includes('\ufffd')) return bytes
  if (isOverlong(text)) return bytes
  return text
    .split(dots)
    .map((label) => domainToASCII(label) || Buffer.from(label, 'utf8').toString('latin1'))
    .join('.')
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped.
const escapable = /[\x00-\x20\x7f-\xff#%]/

const isEscaped = Array.from({ length: 256 }, (_, byte) => escapable.test(String.fromCharCode(byte)))

const hexDigits = Buffer.from('0123456789ABCDEF')

/** Uses a buffer: a regular expression takes four times as long. */
function escapeBytes(bytes: string): string {
  if (!escapable.test(bytes)) return bytes
  const escaped = Buffer.alloc(3 * bytes.length)
  let length = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charCodeAt(at)
    if (isEscaped[byte]) {
      escaped[length++] = percent
      escaped[length++] = hexDigits[byte >> 4] ?? 0
      escaped[length++] = hexDigits[byte & 15] ?? 0
    } else escaped[length++] = byte
  }
  return escaped.toString('latin1', 0, length)
}
