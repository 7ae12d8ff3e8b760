import type { Fault } from './errors.ts'

/** The parts of a mail; a value is escaped by the part that it stands in. */
export type Part = 'subject' | 'html' | 'text'

/** `{{name}}` or `{{order.number}}`; there is no logic, so that a template can neither loop nor reach what it was not given. */
const placeholder = /\{\{\s*([A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*)\s*\}\}/g

/** Characters a rendered part may have: a template that names a long value many times must not fill the memory. */
const maxLength: Record<Part, number> = { subject: 998, html: 2 * 1024 * 1024, text: 2 * 1024 * 1024 }

/** The names that a text's placeholders have, each once, as they come. */
export const placeholdersOf = (...texts: (string | null)[]): string[] => [
  ...new Set(texts.flatMap((text) => [...(text ?? '').matchAll(placeholder)].map(([, name]) => name as string))),
]

/** The first `{{` of a text that begins no placeholder, with what follows it; undefined when there is none. */
export function strayBraces(text: string): string | undefined {
  const rest = text.replace(placeholder, '')
  const at = rest.indexOf('{{')
  return at < 0 ? undefined : rest.slice(at, at + 20).replaceAll(/\p{Cc}+/gu, ' ')
}

/** Puts values in the place of a text's placeholders; notes each that is missing, or cannot stand there, as a fault. */
export function render(part: Part, text: string, variables: object, faults: Fault[]): string {
  const pieces: string[] = []
  let [length, at] = [0, 0]
  const add = (piece: string) => {
    length += piece.length
    if (length <= maxLength[part]) pieces.push(piece)
  }
  for (const match of text.matchAll(placeholder)) {
    const name = match[1] as string
    add(text.slice(at, match.index))
    at = match.index + match[0].length
    const value = valueAt(name, variables)
    if (typeof value === 'string') add(escapes[part](value))
    else if (!faults.some(({ field }) => field === `body.variables.${name}`)) {
      faults.push({ field: `body.variables.${name}`, issue: value.issue })
    }
  }
  add(text.slice(at))
  if (length > maxLength[part]) {
    faults.push({ field: 'body.variables', issue: `make the ${part} longer than ${maxLength[part]} characters` })
  }
  return pieces.join('')
}

const escapes: Record<Part, (value: string) => string> = {
  // A line break in a header would begin another one (RFC 5322 §2.2).
  subject: (value) => value.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' '),
  html: (value) => value.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
  text: (value) => value,
}

function valueAt(name: string, variables: object): string | { issue: string } {
  let value: unknown = variables
  for (const step of name.split('.')) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, step)
    if (!isThere) return { issue: 'is named by the template and missing' }
    value = (value as Record<string, unknown>)[step]
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return { issue: 'must be text, a number or true/false, as the template shows it' }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what no mail may carry (RFC 5322 §3.5).
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(value)) return { issue: 'holds a control character' }
  return value
}
