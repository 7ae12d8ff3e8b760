import type { FragmentSqlToken } from 'slonik'
import { sql } from './db.ts'

const named = (column: string) => sql.identifier(column.split('.'))

/**
 * Joins the rows of a list with a table by the table’s key: `byKey('d.id', 'given.id', all)`, where `all` has all keys
 * of the list (`allOf` or `allIn`). The plan does not depend on statistics. With a plain equality, Postgres can choose
 * a hash or merge join. If an analyze ran on a nearly empty table, the planner assumes one row. Postgres then reads the
 * complete table, and scans the list for each of its rows, even if the table now has thousands of rows. This form
 * allows no hash or merge join. The planner does not know the length of the array, so it finds the rows in the index at
 * any table size.
 */
export const byKey = (column: string, given: string, all: FragmentSqlToken) => sql.fragment`
  ${named(column)} = any(array[${named(given)}]) and ${named(column)} = any(${all})`

export const allOf = (column: string, list: string) => sql.fragment`array(select ${named(column)} from ${named(list)})`

export const allIn = (keys: readonly (string | number)[], type: 'uuid' | 'int8' | 'text') => sql.fragment`
  array(select unnest(${sql.array([...keys], type)}))`
