import type pg from 'pg'
import { z } from 'zod'
import { readRowSchemas } from './declared.ts'

export interface Column {
  name: string
  type: string
  nullable: boolean
  /** Values that a check allows, or `null` if no check lists values. */
  values: string[] | null
  refers: boolean
  /** A JSON value that the declaration of the table accepts. */
  example?: unknown
}

export interface CatalogTable {
  name: string
  columns: Column[]
  unique: string[][]
}

interface Found extends Column {
  table: string
  checks: string[] | null
}

/** Reads the tables. Unique indexes of rows with a true flag are left out, because flags of generated rows are false. */
export async function readCatalog(client: pg.Client): Promise<CatalogTable[]> {
  const { rows } = await client.query<Found>(`
    select format('%I.%I', n.nspname, c.relname) as table, a.attname as name, format_type(a.atttypid, null) as type,
      not a.attnotnull as nullable,
      array(select pg_get_constraintdef(k.oid) from pg_constraint as k
        where k.conrelid = c.oid and k.contype = 'c' and k.conkey = array[a.attnum]) as checks,
      exists (select from pg_constraint as k
        where k.conrelid = c.oid and k.contype = 'f' and a.attnum = any(k.conkey)) as refers
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace join pg_attribute as a on a.attrelid = c.oid
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^(jobs_|pg_|information|public)'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.attidentity = ''
    order by 1, a.attnum`)
  const { rows: unique } = await client.query<{ table: string; columns: string[] }>(`
    select i.indrelid::regclass::text as table, array(select a.attname::text from pg_attribute as a
      where a.attrelid = i.indrelid and a.attnum > 0 and (a.attnum = any(i.indkey)
        or pg_get_expr(i.indexprs, i.indrelid) ~ ('\\m' || a.attname || '\\M'))
      order by array_position(i.indkey::int2[], a.attnum)) as columns
    from pg_index as i where i.indisunique and not exists (select from pg_attribute as flag
      where flag.attrelid = i.indrelid and flag.atttypid = 'boolean'::regtype
        and pg_get_expr(i.indpred, i.indrelid) ~ ('(^\\(?|AND \\(?)' || flag.attname || '(\\)| AND|$)'))`)
  const declared = await readRowSchemas()
  const tables = new Map<string, CatalogTable>()
  for (const { table, checks, ...column } of rows) {
    const known = tables.get(table) ?? { name: table, columns: [], unique: [] }
    const shape = declared.get(table)?.shape[column.name]
    const json = shape && z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' })
    known.columns.push({ ...column, values: listed(checks ?? []) ?? enumOf(json), example: json && exampleOf(json) })
    tables.set(table, known)
  }
  for (const { table, columns } of unique) tables.get(table)?.unique.push(columns)
  return [...tables.values()]
}

function enumOf(schema: z.core.JSONSchema.BaseSchema | undefined): string[] | null {
  const either = schema?.anyOf?.find((one) => typeof one === 'object' && one.enum)
  const values = schema?.enum ?? (typeof either === 'object' ? either.enum : undefined)
  return values ? values.map(String) : null
}

function exampleOf(schema: z.core.JSONSchema.BaseSchema): unknown {
  const first = (schema.anyOf ?? schema.oneOf)?.find((one) => typeof one !== 'object' || one.type !== 'null')
  if (first) return typeof first === 'object' ? exampleOf(first) : null
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [type] = [schema.type].flat()
  if (type === 'array') return []
  if (type === 'string' || type === undefined) return 'v'
  if (type === 'number' || type === 'integer') return 1
  if (type === 'boolean') return false
  const needed = schema.required ?? []
  return Object.fromEntries(
    needed.map((name) => {
      const property = schema.properties?.[name]
      return [name, typeof property === 'object' ? exampleOf(property) : null]
    }),
  )
}

function listed(checks: readonly string[]): string[] | null {
  const list = checks.map((check) => /^CHECK \(\(\w+ = ANY \(ARRAY\[(.*)\]\)\)\)/.exec(check)?.[1]).find(Boolean)
  return list ? list.split(', ').map((text) => text.slice(1, text.lastIndexOf("'"))) : null
}
