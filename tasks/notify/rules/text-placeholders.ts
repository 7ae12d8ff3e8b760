import type { Fault } from '#lib/errors.ts'
import { faultOfPlaceholders, placeholdersOf, render } from '#lib/placeholders.ts'
import { type Facts, factOf } from './conditions.ts'

/** What texts can name beside `data.…` and `person.data.…`. */
const names = [
  ...['title', 'body', 'url', 'type', 'product_key', 'count', 'items'],
  ...['person.name', 'person.email', 'person.phone', 'person.locale', 'person.time_zone'],
] as const

/** What is wrong with the placeholders of a text; undefined when nothing is. */
export function faultIn(text: string): string | undefined {
  const fault = faultOfPlaceholders(text, '{{data.order}} and {{person.name}}')
  if (fault !== undefined) return fault
  const unknown = placeholdersOf(text).find(
    (name) => !names.some((one) => one === name) && !['data.', 'person.data.'].some((start) => name.startsWith(start)),
  )
  if (unknown === undefined) return undefined
  return `names ${unknown.slice(0, 100)}; there are data.…, person.data.…, ${names.join(', ')}`
}

/** Puts facts in the place of placeholders; nothing in that of those that nothing is known of. */
export function filledIn(part: 'subject' | 'text', text: string, facts: Facts, longest: number): string {
  // Without a prototype: names are the customer's own, and `__proto__` is one like any other.
  const empty = (): Record<string, unknown> => Object.create(null)
  const variables = empty()
  for (const name of placeholdersOf(text)) {
    const path = name.split('.')
    let place = variables
    for (const part of path.slice(0, -1)) {
      const within = place[part]
      const next = typeof within === 'object' && within !== null ? (within as Record<string, unknown>) : empty()
      place[part] = next
      place = next
    }
    place[path.at(-1) as string] = factOf(facts, name)
  }
  const faults: Fault[] = []
  const filled = render(part, text, variables, faults)
  // What is too long is cut before it is taken apart: a text can name a long value many times.
  return [...filled.slice(0, 2 * longest)].slice(0, longest).join('')
}
