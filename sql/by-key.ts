import type { FragmentSqlToken } from 'slonik'
import { sql } from './db.ts'

const named = (column: string) => sql.identifier(column.split('.'))

/**
 * Joins the rows of a list with a table by the table’s key, independent of statistics: `byKey('d.id', 'given.id',
 * all)`, where `all` has all keys of the list (`allOf` or `allIn`). A plain equality can be hashed or merged. If an
 * analyze ran on a nearly empty table, the planner assumes one row. It then reads the complete table, and the list for
 * each of its rows, even if there are now thousands. This form cannot be hashed or merged. With the array, whose length
 * no plan knows, the rows are found in the index at any size.
 */
export const byKey = (column: string, given: string, all: FragmentSqlToken) => sql.fragment`
  ${named(column)} = any(array[${named(given)}]) and ${named(column)} = any(${all})`

export const allOf = (column: string, list: string) => sql.fragment`array(select ${named(column)} from ${named(list)})`

export const allIn = (keys: readonly (string | number)[], type: 'uuid' | 'int8' | 'text') => sql.fragment`
  array(select unnest(${sql.array([...keys], type)}))`
