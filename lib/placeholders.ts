import type { Fault } from './errors.ts'

export type Part = 'subject' | 'html' | 'text'

/**
 * Matches `{{name}}`, `{{order.number}}`, or `{{contact.name|"there"}}` with a fallback. Templates have no logic, so a
 * template cannot loop or read data that was not passed to it.
 */
const placeholder =
  /\{\{\s*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*(?:\|\s*(?:"([^"{}]*)"|'([^'{}]*)')\s*)?\}\}/g

/** Maximum length of a rendered part. The limit prevents a template that repeats a long value from using all memory. */
export const maxLength: Record<Part, number> = { subject: 998, html: 2 * 1024 * 1024, text: 2 * 1024 * 1024 }

export const maxPlaceholders = 2_000

export function countOpenBraces(text: string): number {
  let count = 0
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', at + 2)) count++
  return count
}

export function findPlaceholderFault(text: string, examples: string): string | undefined {
  if (countOpenBraces(text) > maxPlaceholders) return `must have at most ${maxPlaceholders} placeholders`
  const stray = findStrayBraces(text)
  return stray === undefined
    ? undefined
    : `has \`${stray}\`, which is not a valid placeholder. Valid placeholders: ${examples}`
}

export const listPlaceholders = (...texts: (string | null)[]): string[] => [
  ...new Set(texts.flatMap((text) => [...(text ?? '').matchAll(placeholder)].map(([, name]) => name as string))),
]

/**
 * Replaces each placeholder of a text by a mark. Equal placeholders get the same number. `found` contains the distinct
 * placeholders.
 */
export function markPlaceholders(text: string, mark: (number: number) => string): { text: string; found: string[] } {
  const numbers = new Map<string, number>()
  const marked = text.replaceAll(placeholder, (whole) => {
    const number = numbers.get(whole) ?? numbers.size
    numbers.set(whole, number)
    return mark(number)
  })
  return { text: marked, found: [...numbers.keys()] }
}

export function findStrayBraces(text: string): string | undefined {
  // Three braces around a name mean a placeholder between one brace on each side.
  const at = text.replace(placeholder, (found) => '\u0000'.repeat(found.length)).search(/\{\{|\{\0+\}/)
  return at < 0 ? undefined : text.slice(at, at + 20).replaceAll(/\p{Cc}+/gu, ' ')
}

export function render(part: Part, text: string, variables: object, faults: Fault[]): string {
  const values = new Map(listPlaceholders(text).map((name) => [name, valueAt(name, variables)]))
  const filled = fill(part, text, (name, fallback) => {
    const value = values.get(name) ?? missing
    if (typeof value === 'string') return value === '' ? (fallback ?? '') : value
    if (fallback !== undefined && value.isEmpty) return fallback
    const field = `body.variables.${name}`
    if (!faults.some((fault) => fault.field === field)) faults.push({ field, issue: value.issue })
    return ''
  })
  if (filled !== undefined) return filled
  faults.push({ field: 'body.variables', issue: `must not make the ${part} longer than ${maxLength[part]} characters` })
  return ''
}

/**
 * Replaces the placeholders of a text by the results of `valueFor`, escaped for the part. A placeholder without a
 * result stays. Returns undefined if the part becomes too long.
 */
export function fill(
  part: Part,
  text: string,
  valueFor: (name: string, fallback: string | undefined) => string | undefined,
): string | undefined {
  const pieces: string[] = []
  const escaped = new Map<string, string>()
  const writtenOf = (value: string): string => {
    const known = escaped.get(value) ?? escapes[part](value)
    escaped.set(value, known)
    return known
  }
  let [length, at] = [0, 0]
  for (const match of text.matchAll(placeholder)) {
    const [whole, name = '', double, single] = match
    const value = valueFor(name, double ?? single)
    const written = value === undefined ? whole : writtenOf(value)
    length += match.index - at + written.length
    // All invalid names are reported, even if the text is too long.
    if (length <= maxLength[part]) pieces.push(text.slice(at, match.index), written)
    at = match.index + whole.length
  }
  return length + text.length - at > maxLength[part] ? undefined : pieces.join('') + text.slice(at)
}

const escapes: Record<Part, (value: string) => string> = {
  // Line breaks are replaced, because a line break in a header would start another header (RFC 5322 §2.2).
  subject: (value) => value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '),
  html: (value) => value.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
  text: (value) => value,
}

export const escapeFor = (part: Part, value: string): string => escapes[part](value)

interface NoValue {
  issue: string
  isEmpty: boolean
}

const missing: NoValue = { issue: 'is required by the template', isEmpty: true }

function valueAt(name: string, variables: object): string | NoValue {
  let value: unknown = variables
  for (const step of name.split('.')) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    if (!isThere) return missing
    value = (value as Record<string, unknown>)[step]
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') {
    return { issue: 'must be text, a number or true/false, because the template shows it', isEmpty: value === null }
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what no mail may carry (RFC 5322 §3.5).
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value)) {
    return { issue: 'must not contain control characters', isEmpty: false }
  }
  return value
}
