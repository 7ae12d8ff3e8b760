import type { Fault } from '#lib/errors.ts'
import { findPlaceholderFault, listPlaceholders, render } from '#lib/placeholders.ts'
import { type Facts, getFact } from './conditions.ts'

/** Placeholders of texts, in addition to `data.…`, `person.data.…` and `fetch.…`. */
const names = [
  ...['title', 'body', 'url', 'type', 'product_key', 'count', 'items'],
  ...['person.name', 'person.email', 'person.phone', 'person.locale', 'person.time_zone'],
] as const

/** Returns what is wrong with the placeholders of a text. Undefined if they are valid. */
export function faultIn(text: string): string | undefined {
  const fault = findPlaceholderFault(text, '{{data.order}} and {{person.name}}')
  if (fault !== undefined) return fault
  const unknown = listPlaceholders(text).find(
    (name) =>
      !names.some((one) => one === name) &&
      !['data.', 'person.data.', 'fetch.'].some((start) => name.startsWith(start)),
  )
  if (unknown === undefined) return undefined
  return `names ${unknown.slice(0, 100)}; there are data.…, person.data.…, fetch.…, ${names.join(', ')}`
}

/** Replaces placeholders with values. Unknown values are empty. */
export function fillPlaceholders(part: 'subject' | 'text', text: string, facts: Facts, longest: number): string {
  // The object has no prototype, because customers choose the names and may use `__proto__`.
  const empty = (): Record<string, unknown> => Object.create(null)
  const variables = empty()
  for (const name of listPlaceholders(text)) {
    const path = name.split('.')
    let place = variables
    for (const part of path.slice(0, -1)) {
      const within = place[part]
      const next = typeof within === 'object' && within !== null ? (within as Record<string, unknown>) : empty()
      place[part] = next
      place = next
    }
    place[path.at(-1) as string] = getFact(facts, name)
  }
  const faults: Fault[] = []
  const filled = render(part, text, variables, faults)
  // Cuts long texts before splitting them into characters, because a text can contain a long value many times.
  return [...filled.slice(0, 2 * longest)].slice(0, longest).join('')
}
