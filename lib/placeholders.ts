import type { Fault } from './errors.ts'

/** The parts of a mail; a value is escaped by the part that it stands in. */
export type Part = 'subject' | 'html' | 'text'

/**
 * `{{name}}`, `{{order.number}}` or `{{contact.name|"there"}}`, with what stands there for who has none; there is no logic, so that a
 * template can neither loop nor reach what it was not given.
 */
const placeholder =
  /\{\{\s*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*(?:\|\s*(?:"([^"{}]*)"|'([^'{}]*)')\s*)?\}\}/g

/** Characters a rendered part may have: a template that names a long value many times must not fill the memory. */
export const maxLength: Record<Part, number> = { subject: 998, html: 2 * 1024 * 1024, text: 2 * 1024 * 1024 }

/** Placeholders that one part of a template may have. */
export const maxPlaceholders = 2_000

/** Returns how many times `{{` stands in a text. */
export function openBraces(text: string): number {
  let count = 0
  for (let at = text.indexOf('{{'); at !== -1; at = text.indexOf('{{', at + 2)) count++
  return count
}

/** Returns what is wrong with the placeholders of a template's part, undefined when nothing is. `examples` are placeholders. */
export function faultOfPlaceholders(text: string, examples: string): string | undefined {
  if (openBraces(text) > maxPlaceholders) return `must have at most ${maxPlaceholders} placeholders`
  const stray = strayBraces(text)
  return stray === undefined ? undefined : `has \`${stray}\`, which is not a placeholder: ${examples} are`
}

/** The names that a text's placeholders have, each once, as they come. */
export const placeholdersOf = (...texts: (string | null)[]): string[] => [
  ...new Set(texts.flatMap((text) => [...(text ?? '').matchAll(placeholder)].map(([, name]) => name as string))),
]

/** A text with a mark in the place of each placeholder, by its number among the different ones, which are `found`. */
export function markPlaceholders(text: string, mark: (number: number) => string): { text: string; found: string[] } {
  const numbers = new Map<string, number>()
  const marked = text.replaceAll(placeholder, (whole) => {
    const number = numbers.get(whole) ?? numbers.size
    numbers.set(whole, number)
    return mark(number)
  })
  return { text: marked, found: [...numbers.keys()] }
}

/** The first braces of a text that are meant as a placeholder and are none, with what follows; undefined when there are none. */
export function strayBraces(text: string): string | undefined {
  // Three braces, which mean a value as it is elsewhere, leave one on either side.
  const at = text.replace(placeholder, (found) => '\u0000'.repeat(found.length)).search(/\{\{|\{\0+\}/)
  return at < 0 ? undefined : text.slice(at, at + 20).replaceAll(/\p{Cc}+/gu, ' ')
}

/** Puts values in the place of a text's placeholders; notes each that is missing, or cannot stand there, as a fault. */
export function render(part: Part, text: string, variables: object, faults: Fault[]): string {
  const values = new Map(placeholdersOf(text).map((name) => [name, valueAt(name, variables)]))
  const filled = fill(part, text, (name, fallback) => {
    const value = values.get(name) ?? missing
    if (typeof value === 'string') return value === '' ? (fallback ?? '') : value
    if (fallback !== undefined && value.isEmpty) return fallback
    const field = `body.variables.${name}`
    if (!faults.some((fault) => fault.field === field)) faults.push({ field, issue: value.issue })
    return ''
  })
  if (filled !== undefined) return filled
  faults.push({ field: 'body.variables', issue: `make the ${part} longer than ${maxLength[part]} characters` })
  return ''
}

/**
 * Puts what `valueFor` says in the place of a text's placeholders, escaped as the part demands; where it says nothing a placeholder
 * stays as it is. Undefined when that makes the part longer than it may be.
 */
export function fill(
  part: Part,
  text: string,
  valueFor: (name: string, fallback: string | undefined) => string | undefined,
): string | undefined {
  const pieces: string[] = []
  // A long value that stands in thousands of places is escaped once.
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
    // Whoever asks is told of each name that is amiss, but gets no text that is too long.
    if (length <= maxLength[part]) pieces.push(text.slice(at, match.index), written)
    at = match.index + whole.length
  }
  return length + text.length - at > maxLength[part] ? undefined : pieces.join('') + text.slice(at)
}

const escapes: Record<Part, (value: string) => string> = {
  // A line break in a header would begin another one (RFC 5322 §2.2).
  subject: (value) => value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '),
  html: (value) => value.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
  text: (value) => value,
}

interface NoValue {
  issue: string
  /** There is nothing, in place of which a fallback may stand. */
  isEmpty: boolean
}

const missing: NoValue = { issue: 'is named by the template and missing', isEmpty: true }

function valueAt(name: string, variables: object): string | NoValue {
  let value: unknown = variables
  for (const step of name.split('.')) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    if (!isThere) return missing
    value = (value as Record<string, unknown>)[step]
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') {
    return { issue: 'must be text, a number or true/false, as the template shows it', isEmpty: value === null }
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what no mail may carry (RFC 5322 §3.5).
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value)) {
    return { issue: 'holds a control character', isEmpty: false }
  }
  return value
}
