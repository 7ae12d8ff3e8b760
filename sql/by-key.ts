import type { FragmentSqlToken } from 'slonik'
import { sql } from './db.ts'

const named = (column: string) => sql.identifier(column.split('.'))

/**
 * Joins the rows of a list with those of a table by the table's key, whatever statistics say: `byKey('d.id', 'given.id', all)`, where
 * `all` has all keys of the list (`allOf` or `allIn`). A plain equality may be hashed or merged: a table that an analyze met nearly
 * empty is believed to hold one row, so that the planner reads it whole, and for each of its rows the list, though a burst has made
 * them thousands. This form cannot be, and by the array, whose length no plan knows, the rows are found in the index at any size.
 */
export const byKey = (column: string, given: string, all: FragmentSqlToken) => sql.fragment`
  ${named(column)} = any(array[${named(given)}]) and ${named(column)} = any(${all})`

/** For `byKey`: the keys in a column of a list that is part of the query. */
export const allOf = (column: string, list: string) => sql.fragment`array(select ${named(column)} from ${named(list)})`

/** For `byKey`: keys that are known. */
export const allIn = (keys: readonly (string | number)[], type: 'uuid' | 'int8' | 'text') => sql.fragment`
  array(select unnest(${sql.array([...keys], type)}))`
