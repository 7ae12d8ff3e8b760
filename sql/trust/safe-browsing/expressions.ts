import { hash } from 'node:crypto'
import { getDomain } from 'tldts'
import type { CanonicalUrl } from './canonical-url.ts'

/** A suffix of a URL’s host with a prefix of its path, and the hash under which feeds list it. */
export interface Expression {
  text: string
  /** SHA-256. */
  hash: Buffer
  /** True if the expression is the whole URL, with its query. */
  exact: boolean
}

/** Returns the host and up to four parents, starting with the registrable domain. */
export function listHostSuffixes(host: string, named = true): string[] {
  const domain = named ? getDomain(host, { allowPrivateDomains: true, validateHostname: false }) : null
  if (domain === null || domain === host || !host.endsWith(`.${domain}`)) return [host]
  const before = host.slice(0, -domain.length - 1).split('.')
  const suffixes = [0, 1, 2, 3].flatMap((count) =>
    count > before.length ? [] : [[...before.slice(before.length - count), domain].join('.')],
  )
  return [...new Set([host, ...suffixes.reverse()])]
}

/** Returns the path with and without its query, and up to four folders from the root. */
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
 * Returns the expressions of a URL, up to 30, the exact one first
 * (developers.google.com/safe-browsing/reference/URLs.and.Hashing, "Suffix/Prefix Expressions").
 */
export function listExpressions(url: CanonicalUrl): Expression[] {
  const paths = pathPrefixes(url)
  const parts = listHostSuffixes(url.host, url.named).flatMap((host) => paths.map((path) => ({ host, path })))
  return parts.map(({ host, path }, at) => ({
    // Not stored: the strings of a hundred long URLs take 50 MB, and only a few are needed.
    get text() {
      return host + path
    },
    hash: hashExpression(host + path),
    exact: at === 0,
  }))
}

/** Returns the hash of an expression in feeds. */
export const hashExpression = (expression: string): Buffer => hash('sha256', expression, 'buffer')

/** Returns the first four bytes of a hash as a Postgres integer. */
export const getPrefix = (hash: Uint8Array): number => Buffer.from(hash.buffer, hash.byteOffset, 4).readInt32BE()
