import { hash } from 'node:crypto'
import { getDomain } from 'tldts'
import type { CanonicalUrl } from './canonical-url.ts'

/** A suffix of a URL's host with a prefix of its path, and the hash under which feeds list it. */
export interface Expression {
  text: string
  /** SHA-256. */
  hash: Buffer
  /** Whether it is the whole of the URL, with its query. */
  exact: boolean
}

/** Names that stand for a host: itself, and up to four from its registrable domain on, each with one label more. */
export function hostSuffixes(host: string, named = true): string[] {
  const domain = named ? getDomain(host, { allowPrivateDomains: true, validateHostname: false }) : null
  if (domain === null || domain === host || !host.endsWith(`.${domain}`)) return [host]
  const before = host.slice(0, -domain.length - 1).split('.')
  const suffixes = [0, 1, 2, 3].flatMap((count) =>
    count > before.length ? [] : [[...before.slice(before.length - count), domain].join('.')],
  )
  return [...new Set([host, ...suffixes.reverse()])]
}

/** Paths that stand for one: itself with and without its query, and up to four folders from the root on. */
function pathPrefixes({ path, query }: CanonicalUrl): string[] {
  const folders = path.split('/').slice(1, -1)
  const prefixes = [0, 1, 2, 3].flatMap((count) =>
    count > folders.length
      ? []
      : [
          `/${folders
            .slice(0, count)
            .map((folder) => `${folder}/`)
            .join('')}`,
        ],
  )
  return [...new Set([...(query ? [`${path}?${query}`] : []), path, ...prefixes])]
}

/**
 * The expressions of a URL, at most 30: the exact one first (developers.google.com/safe-browsing/reference/URLs.and.Hashing,
 * "Suffix/Prefix Expressions").
 */
export function expressionsOf(url: CanonicalUrl): Expression[] {
  const paths = pathPrefixes(url)
  const parts = hostSuffixes(url.host, url.named).flatMap((host) => paths.map((path) => ({ host, path })))
  return parts.map(({ host, path }, at) => ({
    // Not kept: those of a hundred long URLs are 50 MB, and of few of them it is told.
    get text() {
      return host + path
    },
    hash: hashOf(host + path),
    exact: at === 0,
  }))
}

/** The hash under which an expression is listed. */
export const hashOf = (expression: string): Buffer => hash('sha256', expression, 'buffer')

/** The first four bytes of a hash as Postgres' integer takes them. */
export const prefixOf = (hash: Uint8Array): number => Buffer.from(hash.buffer, hash.byteOffset, 4).readInt32BE()
