import type { Source } from '#sql/intake/sources.ts'
import { readPath } from './event-facts.ts'

type Filter = Pick<Source, 'event_types' | 'filter'>

/** True if a request of the event type and body is forwarded. Every field of the filter must have one of its values. */
export function matchesFilter({ event_types, filter }: Filter, type: string | null, json: unknown): boolean {
  if (event_types.length > 0 && !event_types.some((pattern) => matchesType(pattern, type))) return false
  return Object.entries(filter).every(([path, values]) => values.includes(readPath(json, path) as never))
}

const matchesType = (pattern: string, type: string | null): boolean =>
  type !== null && (pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern)
