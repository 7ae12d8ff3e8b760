import type { PrimitiveValueExpression, Query } from 'slonik'
import { log } from '#lib/log.ts'
import { replaceEscapes, replaceNul } from '#lib/outside-text.ts'

/**
 * Has a query carry nothing that Postgres refuses as text. What customers send is refused before (400), so what is changed here
 * comes from servers and programs, and without this would fail the whole statement and all rows in it. U+FFFD takes the place,
 * rather than nothing: a text that was looked up with a NUL in it must not become one that is there. The driver itself sends
 * halves of characters as U+FFFD; those that JSON has escaped it does not see.
 */
export function storable(query: Query): Query {
  if (!query.values.some(isSuspect)) return query
  const json = jsonParameters(query.sql)
  const values = query.values.map((value, i) => clean(value, json.has(i + 1)) as PrimitiveValueExpression)
  if (values.every((value, i) => value === query.values[i])) return query
  log.warn({ sql: query.sql.slice(0, 200) }, 'text that Postgres does not take was changed')
  return { ...query, values }
}

/** Whether a value may hold what is to be changed: a look that costs every query little. */
function isSuspect(value: unknown): boolean {
  if (typeof value === 'string') {
    return value.includes('\0') || (value.includes('\\u') && /\\u(?:0000|d[89a-f])/i.test(value))
  }
  return Array.isArray(value) && value.some(isSuspect)
}

/** The numbers of the parameters that are JSON: in any other text a backslash is what it is. */
const jsonParameters = (text: string): ReadonlySet<number> =>
  new Set(Array.from(text.matchAll(/\$(\d+)::"?jsonb?\b/gi), ([, number]) => Number(number)))

function clean(value: unknown, isJson: boolean): unknown {
  if (Array.isArray(value)) return value.some(isSuspect) ? value.map((inner) => clean(inner, isJson)) : value
  if (typeof value !== 'string') return value
  return replaceNul(isJson ? replaceEscapes(value) : value)
}
