import type pg from 'pg'
import type { CatalogTable, Column } from './catalog.ts'
import { alone, chosen, common, fewRows, limited, manyEnded, pairs, shared, usual } from './row-values.ts'

export { fewRows }

/** Number of the organisation with almost all rows, and of the row that almost all rows refer to. */
export const owner = 1

export const rowId = (number: number): string => {
  const hex = (value: number) => value.toString(16).padStart(12, '0')
  const at = hex(firstAt + number * 1_000)
  return `${at.slice(0, 8)}-${at.slice(8)}-7000-8000-${hex(number)}`
}

/** Time of row number 0, because IDs contain their time. */
let firstAt = Date.now() - 86_400_000

export function setFirstRowAge(seconds: number): void {
  firstAt = Math.floor(Date.now() / 1_000 - seconds) * 1_000
}

/**
 * Removes checks, foreign keys and triggers that would reject generated rows. No plan depends on them. Requests from
 * before the first day of the database get a partition.
 */
export async function dropConstraints(client: pg.Client, tables: readonly CatalogTable[]): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement from pg_constraint as k
    join pg_class as c on c.oid = k.conrelid join pg_namespace as n on n.oid = c.relnamespace
    where contype in ('c', 'f') and conparentid = 0 and conislocal and n.nspname !~ '^(jobs_|pg_|information|public)'`)
  for (const { statement } of rows) await client.query(statement)
  for (const { name } of tables) await client.query(`alter table ${name} disable trigger user`)
  await client.query('create table account.requests_before partition of account.requests default')
}

/** Returns the SQL of a column's value in row `i`. `undefined` uses the default of its type. */
export type ColumnValue = (table: CatalogTable, column: Column) => string | undefined

/** Adds the rows with the numbers `from` to `to` to a table. One in twenty belongs to another organisation. */
export async function addRows(
  client: pg.Client,
  table: CatalogTable,
  orgId: string,
  from: number,
  to: number,
  chosenValue: ColumnValue = () => undefined,
) {
  const apart = new Set([...distinct(table), ...(alone[table.name] ?? [])])
  const columns = table.columns.flatMap((column) => {
    const value =
      chosenValue(table, column) ??
      pairedValue(table, column) ??
      limitedValue(table, column, orgId, to) ??
      expressionOf(table, column, apart.has(column.name), orgId)
    return value === undefined ? [] : [[`"${column.name}"`, value] as const]
  })
  const text = `insert into ${table.name} (${columns.map(([name]) => name).join(', ')})
    select ${columns.map(([, value]) => value).join(', ')} from generate_series(${from}, ${to}) as i on conflict do nothing`
  await client.query(text).catch((cause) => {
    throw new Error(`${table.name}: ${cause.message}\n${text}`, { cause })
  })
}

function pairedValue(table: CatalogTable, { name }: Column): string | undefined {
  const rest = shared[`${table.name}.${name}`]
  if (rest !== undefined) return `case when i % 2 = ${rest} then ${uuidAt(String(owner))} end`
  const half = pairs[table.name]?.indexOf(name) ?? -1
  return half === -1 ? undefined : uuidAt(`case when i % 2 = ${half} then i else ${owner} end`)
}

function limitedValue({ name: table }: CatalogTable, { name }: Column, orgId: string, to: number): string | undefined {
  const most = limited[`${table}.${name}`]
  if (most === undefined) return undefined
  const one = name === 'org_id' ? `'${orgId}'::uuid` : uuidAt(String(owner))
  return `case when i <= ${Math.min(most, fewRows)} or i > ${to - most} then ${one} else ${uuidAt('i')} end`
}

function distinct({ name: table, columns, unique }: CatalogTable): ReadonlySet<string> {
  const shared = (name: string) => {
    const column = columns.find((each) => each.name === name)
    return column !== undefined && (column.values !== null || column.type === 'boolean' || isReference(column))
  }
  return new Set(
    unique.flatMap((key) => {
      if (!key.every(shared) || manyEnded.has(table)) return []
      const references = key.filter((name) => columns.some((column) => column.name === name && isReference(column)))
      return references.find((name) => name !== 'org_id') ?? references[0] ?? []
    }),
  )
}

const isReference = ({ name, type, refers }: Column) =>
  type === 'uuid' && (refers || (name !== 'id' && name.endsWith('_id')))

const at = (number: string) => `to_timestamp(${firstAt / 1_000} + ${number})`

const uuidAt = (number: string) =>
  `(lpad(to_hex(${firstAt} + (${number})::bigint * 1000), 12, '0') || '70008000' || lpad(to_hex((${number})::bigint), 12, '0'))::uuid`

function expressionOf(
  { name: table }: CatalogTable,
  column: Column,
  apart: boolean,
  orgId: string,
): string | undefined {
  const { name, type, nullable, values } = column
  const seldom = (value: string) => `case when i between 2 and ${fewRows} then ${value} end`
  if (name === 'org_id')
    return apart ? uuidAt('i') : `case when i % 20 = 0 then ${uuidAt('i')} else '${orgId}'::uuid end`
  if (isReference(column)) return apart ? uuidAt('i') : uuidAt(`case when i % 10 = 0 then i else ${owner} end`)
  if (name === 'id' && type === 'uuid') return uuidAt('i')
  if (values) {
    const list = `array[${values.map((value) => `'${value.replaceAll("'", "''")}'`).join(', ')}]`
    // Half of the values are in only a few, the oldest rows. This is the worst case for a list with that filter.
    return `case when i between 2 and ${fewRows} then (${list})[1 + i % ${values.length}] else '${commonOf(table, values)}' end`
  }
  if (nullable && type.startsWith('json')) return undefined
  const value = chosen[`${table}.${name}`] ?? plainValue(column)
  if (value === undefined) throw new Error(`No value is defined for type ${type} of ${table}.${name}.`)
  return nullable && !common.has(`${table}.${name}`) ? seldom(value) : value
}

const commonOf = (table: string, values: readonly string[]) =>
  usual[table]?.find((value) => values.includes(value)) ??
  ['delivered', 'ready', 'clean', 'completed', 'published', 'normal', 'done'].find((value) => values.includes(value)) ??
  (values.at(-1) as string)

const plain: Record<string, string> = {
  text: `'v' || i`,
  boolean: 'false',
  bytea: `decode(lpad(to_hex(i), 64, '0'), 'hex')`,
  'bit varying': `i::bit(32)::varbit`,
  smallint: '(i % 30000)::smallint',
  tsvector: `('word v' || i)::tsvector`,
  interval: `interval '1 hour'`,
  integer: 'i',
  bigint: 'i',
  real: 'i',
  'double precision': 'i',
  numeric: 'i',
  character: `'v' || i`,
  'character varying': `'v' || i`,
}

function plainValue({ name, type, example }: Column): string | undefined {
  if (type.endsWith('[]')) return `'{}'::${type}`
  if (type === 'uuid') return uuidAt('i')
  // Realistic text lengths, so that a full scan does not read less than an index.
  if (['description', 'summary', 'tagline'].includes(name)) return `'v' || i || repeat(' lorem ipsum', 12)`
  if (type.startsWith('json')) return `'${JSON.stringify(example ?? {}).replaceAll("'", "''")}'::${type}`
  if (type === 'date') return `${at('i')}::date`
  if (type.startsWith('timestamp')) return at('i')
  if (type === 'cidr' || type === 'inet')
    return `('10.' || (i >> 16) % 256 || '.' || (i >> 8) % 256 || '.' || i % 256)::${type}`
  return plain[type]
}
