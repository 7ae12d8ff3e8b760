import { isIP } from 'node:net'
import { z } from 'zod'

/** A host's name as browsers write it in an origin: labels of letters, digits, `-` and `_`; other letters are in Punycode. */
const hostName = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/

/** True if a text is an origin as browsers send it: scheme, host, and a port that is not the scheme's own. */
export function isOrigin(text: string): boolean {
  const url = /^https?:\/\//.test(text) ? URL.parse(text) : null
  if (url?.origin !== text) return false
  const { hostname } = url
  return hostname.length <= 253 && (hostName.test(hostname) || isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0)
}

/** The origin of a page, as browsers send it. */
export const Origin = z.string().max(300).refine(isOrigin, {
  message: 'must be an origin as browsers send it, such as https://www.example.com',
})

/** Characters of origins in one response header: proxies refuse answers whose headers are a few kilobytes long. */
const maxHeaderLength = 4_000

const listed = (origins: readonly string[]) => origins.join(' ')

/** Whether the origins fit into the response header that names them together. */
export const fitHeader = {
  check: (origins: readonly string[]): boolean => listed(origins).length <= maxHeaderLength,
  error: `must have at most ${maxHeaderLength} characters together`,
} as const

/** Returns origins as a header lists them. Of a list that is older than its limit, the header names those that fit. */
export function headerOf(origins: readonly string[]): string {
  const text = listed(origins)
  return text.length <= maxHeaderLength ? text : text.slice(0, text.lastIndexOf(' ', maxHeaderLength))
}
