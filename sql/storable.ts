import type { PrimitiveValueExpression, Query } from 'slonik'
import { log } from '#lib/log.ts'
import { replaceEscapes, replaceNul } from '#lib/outside-text.ts'

/**
 * Replaces characters that Postgres rejects in the strings of a query. The API already rejects such characters in
 * customer input (400), so this affects only strings from servers and tools. Without the replacement, the statement and
 * all its rows would fail. U+FFFD is inserted, because removing a NUL could produce the same value as another string.
 * The driver sends lone surrogates as U+FFFD, but it does not see surrogates that are escaped in JSON.
 */
export function makeStorable(query: Query): Query {
  if (!query.values.some(isSuspect)) return query
  const json = jsonParameters(query.sql)
  const values = query.values.map((value, i) => clean(value, json.has(i + 1)) as PrimitiveValueExpression)
  if (values.every((value, i) => value === query.values[i])) return query
  log.warn({ sql: query.sql.slice(0, 200) }, 'text that Postgres rejects was changed')
  return { ...query, values }
}

/** True if a value can contain such characters. This check is cheap enough for every query. */
function isSuspect(value: unknown): boolean {
  if (typeof value === 'string') {
    return value.includes('\0') || (value.includes('\\u') && /\\u(?:0000|d[89a-f])/i.test(value))
  }
  return Array.isArray(value) && value.some(isSuspect)
}

const jsonParameters = (text: string): ReadonlySet<number> =>
  new Set(Array.from(text.matchAll(/\$(\d+)::"?jsonb?\b/gi), ([, number]) => Number(number)))

function clean(value: unknown, isJson: boolean): unknown {
  if (Array.isArray(value)) return value.some(isSuspect) ? value.map((inner) => clean(inner, isJson)) : value
  if (typeof value !== 'string') return value
  return replaceNul(isJson ? replaceEscapes(value) : value)
}
