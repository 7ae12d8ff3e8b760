import { type FragmentSqlToken, isSqlToken, type SqlToken } from 'slonik'
import type { z } from 'zod'
import { sql } from './db.ts'
import type { Retention } from './retention.ts'

/** Columns that an insert sets, the others take their defaults; an array of Postgres is given by `sql.array`, JSON as it is. */
export type NewRow<Row extends z.ZodObject> = {
  [Column in keyof z.infer<Row>]?: z.infer<Row>[Column] | SqlToken | undefined
}

type InstantText<Value> = Date extends Value ? string : never

/** A table whose columns are declared once, as the schema of its rows, beside the migration that makes them. */
export interface Table<Row extends z.ZodObject> {
  /** `schema.name`, quoted. */
  name: FragmentSqlToken
  /** How long its rows are kept; empty where something else than time ends them. */
  retentions: readonly Retention[]
  /** Parses a whole row; parts of it are its `pick` and `omit`, read by `columnsOf`. */
  Row: Row
  /** All columns, each behind `alias.` if there is one. */
  columns(alias?: string): FragmentSqlToken
  /** `insert into … values …` of one row. */
  insert(row: NewRow<Row>): FragmentSqlToken
  /** `column = value, …` for an update, of those that are given, of which there must be one. */
  set(values: NewRow<Row>): FragmentSqlToken
  /** `insert into … select …` of any number of rows, which set the same columns; an instant may be a text. */
  insertMany(
    rows: readonly { [Column in keyof z.infer<Row>]?: z.infer<Row>[Column] | InstantText<z.infer<Row>[Column]> }[],
  ): FragmentSqlToken
}

/** Declares a table by the schema of its rows, and how long they are kept; a test compares it with the database. */
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
    columns: (alias) => columnsOf(row, alias),
    insert(values) {
      const columns = given(values)
      const bound = columns.map((column) => bind((values as Record<string, unknown>)[column]))
      return sql.fragment`insert into ${table} (${identifiers(columns)}) values (${sql.join(bound, sql.fragment`, `)})`
    },
    set(values) {
      const sets = given(values).map(
        (column) => sql.fragment`${sql.identifier([column])} = ${bind((values as Record<string, unknown>)[column])}`,
      )
      if (sets.length === 0) throw new TypeError(`nothing of ${schema}.${name} is to be set`)
      return sql.fragment`${sql.join(sets, sql.fragment`, `)}`
    },
    insertMany(rows) {
      const columns = identifiers(rows[0] ? given(rows[0]) : Object.keys(row.shape))
      return sql.fragment`insert into ${table} (${columns})
        select ${columns} from json_populate_recordset(null::${table}, ${JSON.stringify(rows)}::json)`
    },
  }
}

/** The name of a table as `area.name`. */
export const labelOf = ({ name }: { name: FragmentSqlToken }): string => name.sql.replaceAll('"', '')

const lists = new WeakMap<z.ZodObject, Map<string | undefined, FragmentSqlToken>>()

/** The columns that a schema of rows, or of a part of them, has, each behind `alias.` if there is one. */
export function columnsOf(row: z.ZodObject, alias?: string): FragmentSqlToken {
  const known = lists.get(row) ?? new Map<string | undefined, FragmentSqlToken>()
  const list = known.get(alias) ?? identifiers(Object.keys(row.shape), alias)
  lists.set(row, known.set(alias, list))
  return list
}

const identifiers = (columns: readonly string[], alias?: string) =>
  sql.fragment`${sql.join(
    columns.map((column) => sql.identifier(alias === undefined ? [column] : [alias, column])),
    sql.fragment`, `,
  )}`

function bind(value: unknown) {
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'object' || value === null) return value as string | number | boolean | null
  return isSqlToken(value) ? value : sql.jsonb(value)
}
