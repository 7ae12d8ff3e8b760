import { mask } from '#lib/mask.ts'

const url = /[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>]+/gi

/** Schemes of URLs whose path ends with the stream key. */
const keyInPath = /^(rtmps?|rtmpt|rtmpe|srt|rist|whip|whep)$/i

const plain =
  /^(?:[a-z]{1,20}\d{0,3}(?:[-_.][a-z]{1,20}\d{0,3}){0,10}(?:\.[a-z0-9]{1,5})?|v?\d{1,12}(?:\.\d{1,6})?|[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12})?$/i

/** Removes user info, query, fragment, and path segments that may be secrets from the URLs in a text. */
export const maskUrls = (text: string): string => (text.includes('://') ? text.replaceAll(url, masked) : text)

function masked(found: string): string {
  const start = found.indexOf('://') + 3
  const [scheme, rest] = [found.slice(0, start - 3), found.slice(start)]
  const end = rest.search(/[?#]/)
  const [place, more] = end < 0 ? [rest, ''] : [rest.slice(0, end), rest[end] + mask]
  const [authority = '', ...path] = place.split('/')
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  const segments = path.map((segment, i) => (isPlain(scheme, segment, i) ? segment : mask))
  return `${scheme}://${[host, ...segments].join('/')}${more}`
}

const isPlain = (scheme: string, segment: string, i: number): boolean =>
  plain.test(segment) && (!keyInPath.test(scheme) || i < 1)
