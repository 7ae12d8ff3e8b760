import type { FragmentSqlToken } from 'slonik'
import { sql } from './db.ts'

/** Conditions of a list by filter. Each function returns the SQL condition for a value of its filter. */
export type Filters = Readonly<Record<string, (value: never) => FragmentSqlToken>>

/** Values of some filters. */
export type FilterValues<F extends Filters> = { readonly [Name in keyof F]?: Parameters<F[Name]>[0] | undefined }

/** Condition that applies these filters. A condition of other filters has a different type. */
export type Where<F extends Filters> = FragmentSqlToken & { readonly filters?: F }

/** Part of a list: up to `limit` rows after the row `before`. */
export interface Part<Key = string> {
  before: Key | undefined
  limit: number
}

/** Part of a list with only rows that match `where`. */
export interface Page<F extends Filters, Key = string> extends Part<Key> {
  where: Where<F>
}

/** Condition without filters. */
export const everything: FragmentSqlToken = sql.fragment`true`

/** Joins the conditions of the given filters. Returns `everything` if no filter is given. */
export function whereOf<F extends Filters>(filters: F, values: FilterValues<F>): Where<F> {
  const conditions = Object.keys(filters).flatMap((name) => {
    const value = values[name]
    return value === undefined ? [] : [(filters[name] as (value: unknown) => FragmentSqlToken)(value)]
  })
  return conditions.length === 0 ? everything : sql.fragment`(${sql.join(conditions, sql.fragment` and `)})`
}

/** Condition for rows after the row `before`, in descending order of the ID. */
export const isOlder = (
  before: string | undefined,
  column: readonly [string, ...string[]] = ['id'],
): FragmentSqlToken => (before === undefined ? everything : sql.fragment`${sql.identifier(column)} < ${before}`)
