import { isIP } from 'node:net'
import { z } from 'zod'

/**
 * Pattern of a host name in the form that browsers send in an origin. Labels contain letters, digits, `-` and `_`.
 * Non-ASCII letters are in Punycode.
 */
const hostName = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/

/**
 * True if a string is an origin in the form that browsers send: scheme, host, and a port if it is not the default port
 * of the scheme.
 */
export function isOrigin(text: string): boolean {
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null
  if (url?.origin !== text) return false
  const { hostname } = url
  return hostname.length <= 253 && (hostName.test(hostname) || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0)
}

export const Origin = z.string().max(300).refine(isOrigin, {
  message: 'must be an origin as browsers send it, such as https://www.example.com',
})

/**
 * Maximum total length of the origins in one response header. Proxies reject responses whose headers have more than a
 * few kilobytes.
 */
const maxHeaderLength = 4_000

const listed = (origins: readonly string[]) => origins.join(' ')

export const fitHeader = {
  check: (origins: readonly string[]): boolean => listed(origins).length <= maxHeaderLength,
  error: `must have at most ${maxHeaderLength} characters in total`,
} as const

/** Returns origins as a header value. If the list is longer than the limit, only the first origins are included. */
export function toOriginHeader(origins: readonly string[]): string {
  const text = listed(origins)
  return text.length <= maxHeaderLength ? text : text.slice(0, text.lastIndexOf(' ', maxHeaderLength))
}
