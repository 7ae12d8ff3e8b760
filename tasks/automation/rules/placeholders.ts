import { fill, findPlaceholderFault, listPlaceholders, maxLength } from '#lib/placeholders.ts'
import type { EventType } from '../../webhooks/rules/event-types.ts'
import { getValue, isKnownPath } from './event-paths.ts'

/** The event that a rule acts on, as placeholders name it: `{{event.data.…}}`. It is also the default body of a job. */
export interface EventFacts {
  id: string
  type: string
  timestamp: string
  data: Readonly<Record<string, unknown>>
}

const dataStart = 'event.data.'

const fixedNames = ['event.id', 'event.type', 'event.timestamp']

/** Returns what is wrong with the placeholders of a text. Undefined if they are valid. */
export function findTextFault(text: string, types: readonly EventType[]): string | undefined {
  const fault = findPlaceholderFault(text, '{{event.id}} and {{event.data.id}}')
  if (fault !== undefined) return fault
  const unknown = listPlaceholders(text).find(
    (name) =>
      !fixedNames.includes(name) && !(name.startsWith(dataStart) && isKnownPath(types, name.slice(dataStart.length))),
  )
  if (unknown === undefined) return undefined
  const what = unknown.startsWith(dataStart) ? 'which the event does not have' : 'which is not a placeholder of rules'
  return `contains {{${unknown.slice(0, 100)}}}, ${what}`
}

export interface TextFault {
  path: readonly (string | number)[]
  issue: string
}

/** Returns the faults of all placeholders in a JSON value, with their paths. */
export function findFaults(
  value: unknown,
  types: readonly EventType[],
  path: readonly (string | number)[] = [],
): TextFault[] {
  if (typeof value === 'string') {
    const issue = findTextFault(value, types)
    return issue === undefined ? [] : [{ path, issue }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    findFaults(one, types, [...path, Array.isArray(value) ? Number(name) : name]),
  )
}

/** Thrown if the event has no value for a placeholder, or the result is too long. */
export class UnfilledError extends Error {
  override name = 'UnfilledError'
}

const getFact = (facts: EventFacts, name: string): unknown => getValue({ event: facts }, name)

/** Replaces the placeholders of a text. Throws `UnfilledError` for a value that is missing or `null`, without a fallback. */
export function fillText(text: string, facts: EventFacts): string {
  let unfilled: string | undefined
  const filled = fill('text', text, (name, fallback) => {
    const value = getFact(facts, name) ?? fallback
    if (value === undefined) unfilled ??= name
    return typeof value === 'object' ? JSON.stringify(value) : String(value ?? '')
  })
  if (unfilled !== undefined) throw new UnfilledError(`The event has no value for {{${unfilled}}}.`)
  if (filled === undefined) throw new UnfilledError(`The text would have more than ${maxLength.text} characters.`)
  return filled
}

const onlyPlaceholder = /^\{\{\s*(event\.[A-Za-z0-9_.]{1,200})\s*\}\}$/

/** Fills in a JSON value. A string that is only a placeholder becomes the value itself, with its JSON type. */
export function fillValue(value: unknown, facts: EventFacts): unknown {
  if (typeof value === 'string') {
    const name = onlyPlaceholder.exec(value)?.[1]
    return (name === undefined ? undefined : getFact(facts, name)) ?? fillText(value, facts)
  }
  if (Array.isArray(value)) return value.map((one) => fillValue(one, facts))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, fillValue(one, facts)]))
}
