/**
 * Secrets within a message, such as a one-time code. The stored message has a sealed mark in their place. Only the step
 * that hands the message over replaces the mark by the secret. Pages, the API and archives have the mark or dots.
 */
import { createSeal } from './seal.ts'

const purpose = 'hidden text'

/** Length of the sealed part: a secret of up to 200 bytes in base64url, with its nonce, tag and marks. */
const pattern = /\[\[hidden:([\w.-]{20,400})\]\]/g

const isMarked = (text: string): boolean => text.includes('[[hidden:')

/**
 * Returns the mark for a secret. `recipient` is the address of the message. In a message to another recipient, the mark
 * is never replaced.
 */
export const hideText = (text: string, recipient: string, secret: string): string =>
  `[[hidden:${createSeal(secret, purpose).close(text, recipient)}]]`

/** Replaces marks by their secrets. Marks for other recipients become dots. */
export function revealText(text: string, recipient: string, secret: string): string {
  if (!isMarked(text)) return text
  const seal = createSeal(secret, purpose)
  return text.replace(pattern, (_, sealed: string) => seal.open(sealed, recipient) ?? dots)
}

/** Replaces marks by digits, to measure a text as its recipient sees it. */
export const measureHidden = (text: string, length = 10): string =>
  isMarked(text) ? text.replace(pattern, '0'.repeat(length)) : text

const dots = '••••••'

/** Replaces marks by dots, for people who can read the message but must not read its secret. */
export const maskHidden = (text: string): string => (isMarked(text) ? text.replace(pattern, dots) : text)

/** True if a part of a message contains a mark. */
export const hasHidden = ({ html = null, text }: { html?: string | null; text: string | null }): boolean =>
  [html, text].some((part) => part !== null && isMarked(part))

/** Applies `change` to every string of a JSON value. Returns the same value if no string has a mark. */
export function changeHidden<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return (isMarked(value) ? change(value) : value) as T
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => changeHidden(item, change))
    return items.some((item, i) => item !== value[i]) ? (items as T) : value
  }
  const entries = Object.entries(value).map(([name, field]) => [name, changeHidden(field, change)] as const)
  return entries.some(([name, field]) => field !== (value as Record<string, unknown>)[name])
    ? (Object.fromEntries(entries) as T)
    : value
}
