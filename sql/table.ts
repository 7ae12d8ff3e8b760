import { type FragmentSqlToken, isSqlToken, type SqlToken } from 'slonik'
import { z } from 'zod'
import { sql } from './db.ts'
import type { Retention } from './retention.ts'

/**
 * Columns set by an insert. Other columns get their defaults. Use `sql.array` for Postgres arrays. Pass JSON as a plain
 * value.
 */
export type NewRow<Row extends z.ZodObject> = {
  [Column in keyof z.infer<Row>]?: z.infer<Row>[Column] | SqlToken | undefined
}

/** Values of a row. Nullable columns and columns with a default can be missing. */
export type GivenRow<Row extends z.ZodObject, Defaulted = never> = {
  [Column in keyof z.infer<Row> as Absent<z.infer<Row>, Column, Defaulted, never, Column>]: z.infer<Row>[Column]
} & {
  [Column in keyof z.infer<Row> as Absent<z.infer<Row>, Column, Defaulted, Column, never>]?:
    | z.infer<Row>[Column]
    | undefined
}

type Absent<Values, Column extends keyof Values, Defaulted, Then, Else> = null extends Values[Column]
  ? Then
  : Column extends Defaulted
    ? Then
    : Else

type InstantText<Value> = Date extends Value ? string : never

export interface Table<Row extends z.ZodObject> {
  name: FragmentSqlToken
  /** Retention of the rows. Empty if rows are not deleted after a time. */
  retentions: readonly Retention[]
  /** Parses a complete row. For parts, use `pick` and `omit` with `columnsOf`. */
  Row: Row
  columns(alias?: string): FragmentSqlToken
  /** Filter of a list: the condition that the column has the value. */
  equals<Column extends keyof z.infer<Row> & string>(
    column: Column,
    alias?: string,
  ): (value: NonNullable<z.infer<Row>[Column]>) => FragmentSqlToken
  insert(row: NewRow<Row>): FragmentSqlToken
  set(values: NewRow<Row>): FragmentSqlToken
  /** Returns `insert into … select …` for any number of rows with the same columns. A time can be a string. */
  insertMany(
    rows: readonly { [Column in keyof z.infer<Row>]?: z.infer<Row>[Column] | InstantText<z.infer<Row>[Column]> }[],
  ): FragmentSqlToken
}

/** Declares a table by its row schema and its retention. A test compares the declaration with the database. */
export function defineTable<Row extends z.ZodObject>(
  schema: string,
  name: string,
  row: Row,
  { retention = [] }: { retention?: Retention | readonly Retention[] } = {},
): Table<Row> {
  const table = sql.fragment`${sql.identifier([schema, name])}`
  const given = (values: object) => {
    const set = Object.entries(values).flatMap(([column, value]) => (value === undefined ? [] : [column]))
    const strange = set.filter((column) => !(column in row.shape))
    if (strange.length > 0) throw new TypeError(`${schema}.${name} has no declared column ${strange.join(', ')}`)
    return Object.keys(row.shape).filter((column) => set.includes(column))
  }
  return {
    name: table,
    retentions: [retention].flat(),
    Row: row,
    columns: (alias) => getColumns(row, alias),
    equals: (column, alias) => (value) => sql.fragment`${nameOf(column, alias)} = ${bind(value)}`,
    insert(values) {
      const columns = given(values)
      const bound = columns.map((column) => bind((values as Record<string, unknown>)[column]))
      return sql.fragment`insert into ${table} (${identifiers(columns)}) values (${sql.join(bound, sql.fragment`, `)})`
    },
    set(values) {
      const sets = given(values).map(
        (column) => sql.fragment`${sql.identifier([column])} = ${bind((values as Record<string, unknown>)[column])}`,
      )
      if (sets.length === 0) throw new TypeError(`no columns to set for ${schema}.${name}`)
      return sql.fragment`${sql.join(sets, sql.fragment`, `)}`
    },
    insertMany(rows) {
      const columns = identifiers(rows[0] ? given(rows[0]) : Object.keys(row.shape))
      return sql.fragment`insert into ${table} (${columns})
        select ${columns} from json_populate_recordset(null::${table}, ${JSON.stringify(rows)}::json)`
    },
  }
}

/** Creates a function that completes rows: missing columns get their value of `defaults`, or `null` if they are nullable. */
export function createFiller<Row extends z.ZodObject, Defaults extends Partial<z.infer<Row>> = Record<never, never>>(
  row: Row,
  defaults?: Defaults,
): (given: GivenRow<Row, keyof Defaults>) => z.infer<Row> {
  const nullable = Object.keys(row.shape).filter((column) => z.safeParse(row.shape[column] as z.ZodType, null).success)
  const absent: Record<string, unknown> = {
    ...Object.fromEntries(nullable.map((column) => [column, null])),
    ...defaults,
  }
  return (given) => {
    const values: Record<string, unknown> = { ...given }
    for (const column of Object.keys(absent)) if (values[column] === undefined) values[column] = absent[column]
    return values as z.infer<Row>
  }
}

export const getTableLabel = ({ name }: { name: FragmentSqlToken }): string => name.sql.replaceAll('"', '')

const lists = new WeakMap<z.ZodObject, Map<string | undefined, FragmentSqlToken>>()

/** Returns the columns of a row schema or part of it, each with the prefix `alias.` if given. */
export function getColumns(row: z.ZodObject, alias?: string): FragmentSqlToken {
  const known = lists.get(row) ?? new Map<string | undefined, FragmentSqlToken>()
  const list = known.get(alias) ?? identifiers(Object.keys(row.shape), alias)
  lists.set(row, known.set(alias, list))
  return list
}

const identifiers = (columns: readonly string[], alias?: string) =>
  sql.fragment`${sql.join(
    columns.map((column) => nameOf(column, alias)),
    sql.fragment`, `,
  )}`

const nameOf = (column: string, alias: string | undefined) =>
  sql.identifier(alias === undefined ? [column] : [alias, column])

function bind(value: unknown) {
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'object' || value === null) return value as string | number | boolean | null
  return isSqlToken(value) ? value : sql.jsonb(value)
}
