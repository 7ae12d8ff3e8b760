import { hash } from 'node:crypto'

/** Returns the entity tag of a text (RFC 9110 §8.8.3). */
export const computeEtag = (text: string): string => `"${hash('sha256', text, 'base64url')}"`

/**
 * True if the caller has the version with this tag (RFC 9110 §13.1.2). Koa’s check is not used, because it ignores the
 * tag when `fetch` also sends `cache-control: no-cache`.
 */
export const matchesEtag = (known: string, tag: string): boolean =>
  known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*')
