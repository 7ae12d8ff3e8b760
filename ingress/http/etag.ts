import { hash } from 'node:crypto'

/** The entity tag of a text (RFC 9110 §8.8.3). */
export const tagOf = (text: string): string => `"${hash('sha256', text, 'base64url')}"`

/** Whether the caller has what a tag names (RFC 9110 §13.1.2); said by hand, as `fetch` sends `cache-control: no-cache` along. */
export const isKnown = (known: string, tag: string): boolean =>
  known.split(',').some((one) => one.trim().replace(/^W\//, '') === tag || one.trim() === '*')
