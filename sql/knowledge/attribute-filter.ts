import type { FragmentSqlToken } from 'slonik'
import { sql } from '../db.ts'

export type AttributeValue = string | number | boolean

/** A comparison of one attribute, or several filters joined by `and` or `or`. */
export type AttributeFilter =
  | { type: 'eq' | 'ne'; key: string; value: AttributeValue }
  | { type: 'gt' | 'gte' | 'lt' | 'lte'; key: string; value: string | number }
  | { type: 'in' | 'nin'; key: string; value: readonly (string | number)[] }
  | { type: 'and' | 'or'; filters: readonly AttributeFilter[] }

const signs = { gt: sql.fragment`>`, gte: sql.fragment`>=`, lt: sql.fragment`<`, lte: sql.fragment`<=` }

/**
 * Returns the condition for a file with these attributes. A file without the attribute matches only `ne` and `nin`.
 * `gt`, `gte`, `lt` and `lte` compare only values of the same type.
 */
export function matchesFilter(filter: AttributeFilter): FragmentSqlToken {
  switch (filter.type) {
    case 'and':
    case 'or': {
      const between = filter.type === 'and' ? sql.fragment` and ` : sql.fragment` or `
      return sql.fragment`(${sql.join(filter.filters.map(matchesFilter), between)})`
    }
    case 'eq':
      return sql.fragment`attributes @> ${sql.jsonb({ [filter.key]: filter.value })}`
    case 'ne':
      return sql.fragment`not attributes @> ${sql.jsonb({ [filter.key]: filter.value })}`
    case 'in':
    case 'nin': {
      const isIn = sql.fragment`coalesce(${sql.jsonb([...filter.value])} @> (attributes -> ${filter.key}), false)`
      return filter.type === 'in' ? isIn : sql.fragment`not ${isIn}`
    }
    default: {
      const value = sql.fragment`attributes -> ${filter.key}`
      return sql.fragment`coalesce(jsonb_typeof(${value}) = ${typeof filter.value}
        and (${value}) ${signs[filter.type]} ${sql.jsonb(filter.value)}, false)`
    }
  }
}

/** Returns the expression of the sorted IDs of a store’s files with these attributes, for `find`. */
export const filesMatching = (storeId: string, filter: AttributeFilter): FragmentSqlToken => sql.fragment`(
  select coalesce(array_agg(id order by id), '{}') from knowledge.store_files
  where store_id = ${storeId} and ${matchesFilter(filter)})`
