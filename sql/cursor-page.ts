import type { FragmentSqlToken } from 'slonik'
import { sql } from './db.ts'

/** Part of a list between two cursors, in either order of the IDs. */
export interface CursorPage {
  after?: string | undefined
  before?: string | undefined
  order: 'asc' | 'desc'
  limit: number
}

interface Cut {
  /** Condition, order and limit of the statement. */
  part: FragmentSqlToken
  /** Restores the order of the list. With `before` alone, the rows next to it are read first. */
  turn<Row>(rows: readonly Row[]): readonly Row[]
}

/** Returns the end of a statement that reads a page of the column `id`. */
export function cut({ after, before, order, limit }: CursorPage): Cut {
  const isAscending = order === 'asc'
  const [from, to] = isAscending ? [after, before] : [before, after]
  const isGreater = from === undefined ? sql.fragment`true` : sql.fragment`id > ${from}`
  const isLess = to === undefined ? sql.fragment`true` : sql.fragment`id < ${to}`
  const isBackwards = before !== undefined && after === undefined
  const direction = isAscending !== isBackwards ? sql.fragment`asc` : sql.fragment`desc`
  return {
    part: sql.fragment`${isGreater} and ${isLess} order by id ${direction} limit ${limit}`,
    turn: (rows) => (isBackwards ? rows.toReversed() : rows),
  }
}
