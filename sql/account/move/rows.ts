import type { FragmentSqlToken, SqlToken } from 'slonik'
import { z } from 'zod'
import { type DatabasePool, type Db, sql } from '../../db.ts'
import { tableOf } from './owned-rows.ts'
import type { MovedTable } from './tables.ts'

/** Maps the IDs of people in the source cell to the IDs of the same people in the target cell. */
export type People = ReadonlyMap<string, string>

export interface RowOwner {
  orgId: string
  people?: People
  /**
   * Snapshot to read. All tables use the same snapshot, because rows depend on each other. Default: the current state.
   */
  snapshot?: string | undefined
}

export async function openSnapshot(db: DatabasePool): Promise<{ id: string; end(): Promise<void> }> {
  const [known, over] = [Promise.withResolvers<string>(), Promise.withResolvers<void>()]
  const ended = db.transaction(async (tx) => {
    await tx.query(sql.unsafe`set transaction isolation level repeatable read`)
    await useCanonicalFormats(tx)
    known.resolve(await tx.oneFirst(sql.type(z.object({ id: z.string() }))`select pg_export_snapshot() as id`))
    await over.promise
  })
  ended.catch(known.reject)
  return {
    id: await known.promise,
    async end() {
      over.resolve()
      await ended
    },
  }
}

/** Sets the snapshot of a transaction. Call it as the first statement. */
async function at(tx: Db, snapshot: string | undefined): Promise<void> {
  if (snapshot === undefined) return
  await tx.query(sql.unsafe`set transaction isolation level repeatable read`)
  await tx.query(sql.unsafe`set transaction snapshot ${sql.literalValue(snapshot)}`)
}

/** Makes both databases format values as the same strings. */
export async function useCanonicalFormats(tx: Db): Promise<void> {
  await tx.query(sql.unsafe`select set_config('datestyle', 'ISO, YMD', true), set_config('timezone', 'UTC', true),
    set_config('intervalstyle', 'postgres', true), set_config('extra_float_digits', '3', true),
    set_config('bytea_output', 'hex', true), set_config('idle_in_transaction_session_timeout', '0', true)`)
}

/** Disables triggers that count, record and check new rows. */
export async function disableTriggers(tx: Db): Promise<void> {
  await tx.query(sql.unsafe`select set_config('millrace.move', 'on', true)`)
}

/** Returns a column as text. The ID of a person is the ID in the target cell. */
function told(table: MovedTable, column: string, people: People | undefined): FragmentSqlToken {
  const plain = sql.fragment`${sql.identifier(['t0', column])}::text`
  const names = table.shared.some(({ parent, columns }) => parent === 'account.users' && columns.includes(column))
  if (!names || !people || people.size === 0) return plain
  const map = sql.jsonb(Object.fromEntries(people))
  return sql.fragment`coalesce(${map} ->> ${plain}, ${plain})`
}

export const commaSeparated = (parts: readonly SqlToken[]) => sql.join([...parts], sql.fragment`, `)

/** Selects rows with a key that is the same in both cells, and a hash of their content. */
function marked(table: MovedTable, { orgId, people }: RowOwner): FragmentSqlToken {
  const hash = sql.fragment`md5(row(${commaSeparated(table.columns.map(({ name }) => told(table, name, people)))})::text)`
  const from = sql.fragment`from ${tableOf(table.name)} as t0 where ${table.belongs(orgId)}`
  const own = sql.fragment`array[${commaSeparated(table.key.map((name) => sql.fragment`${sql.identifier(['t0', name])}::text`))}]`
  if (!table.numbered) {
    const key = sql.fragment`md5(row(${commaSeparated(table.key.map((name) => told(table, name, people)))})::text)`
    return sql.fragment`select ${key} as k, ${hash} as h, ${own} as own ${from}`
  }
  // Numbers differ between the cells, so equal rows are distinguished by their order.
  const number = sql.identifier(['t0', table.key[0] as string])
  return sql.fragment`select md5(h || n::text) as k, h, own from (
    select ${hash} as h, row_number() over (partition by ${hash} order by ${number}) as n, ${own} as own ${from}) as numbered`
}

const Sum = z.object({ place: z.number(), bucket: z.number(), count: z.number(), low: z.string(), high: z.string() })

/**
 * For each first byte of the hashed keys: the number of rows, and a sum that does not depend on the order of the rows.
 */
export type Sums = ReadonlyMap<number, { count: number; sum: string }>

/** Returns checksums of an organisation’s rows per table. Databases with the same rows have the same checksums. */
export async function sumUp(
  db: DatabasePool,
  tables: readonly MovedTable[],
  whose: RowOwner,
): Promise<readonly Sums[]> {
  const half = (from: number) =>
    sql.fragment`bit_xor(('x' || substr(md5(k || h), ${sql.literalValue(String(from))}::int, 16))::bit(64)::bigint)::text`
  const each = tables.map(
    (table, place) => sql.fragment`
      select ${sql.literalValue(String(place))}::int as place, get_byte(decode(k, 'hex'), 0) as bucket, count(*) as count,
        ${half(1)} as low, ${half(17)} as high
      from (${marked(table, whose)}) as marked group by 2`,
  )
  const rows = await db.transaction(async (tx) => {
    await at(tx, whose.snapshot)
    await useCanonicalFormats(tx)
    return await tx.any(sql.type(Sum)`${sql.join(each, sql.fragment` union all `)}`)
  })
  const sums = tables.map(() => new Map<number, { count: number; sum: string }>())
  for (const { place, bucket, count, low, high } of rows) sums[place]?.set(bucket, { count, sum: `${low} ${high}` })
  return sums
}

const Marked = z.object({ k: z.string(), h: z.string(), own: z.array(z.string()) })

export type Key = readonly string[]

export interface MarkedRows {
  next(): Promise<readonly z.infer<typeof Marked>[]>
  close(): Promise<void>
}

/**
 * Reads keys and hashes of rows in one snapshot, ordered by the hash of the key. Uses its own transaction, so that
 * other work can continue on both databases.
 */
export function openMarked(
  db: DatabasePool,
  table: MovedTable,
  whose: RowOwner,
  buckets: readonly number[],
): MarkedRows {
  type Asked = PromiseWithResolvers<readonly z.infer<typeof Marked>[]>
  let asked = Promise.withResolvers<Asked | undefined>()
  const ended = db.transaction(async (tx) => {
    await at(tx, whose.snapshot)
    await useCanonicalFormats(tx)
    // A cursor declaration cannot have parameters.
    const { sql: text, values } = sql.unsafe`
      declare marked_rows no scroll cursor for select k, h, own from (${marked(table, whose)}) as marked
      where get_byte(decode(k, 'hex'), 0) = any(${sql.literalValue(`{${buckets.join()}}`)}::int[]) order by k collate "C"`
    await tx.query(sql.unsafe`${inline(text, values)}`)
    for (;;) {
      const one = await asked.promise
      if (!one) return
      asked = Promise.withResolvers()
      one.resolve(await tx.any(sql.type(Marked)`fetch 2000 from marked_rows`))
    }
  })
  ended.catch(() => {})
  return {
    async next() {
      const one: Asked = Promise.withResolvers()
      asked.resolve(one)
      return await Promise.race([one.promise, ended.then(() => [])])
    },
    async close() {
      asked.resolve(undefined)
      await ended.catch(() => {})
    },
  }
}

function inline(text: string, values: readonly unknown[]): FragmentSqlToken {
  const whole = text.replaceAll(
    /\$slonik_(\d+)|\$(\d+)/g,
    (_, a, b) => sql.literalValue(String(values[Number(a ?? b) - 1])).sql,
  )
  return { ...sql.fragment``, sql: whole, values: [] }
}

const Row = z.object({ row: z.array(z.string().nullable()) })

export type Texts = readonly (string | null)[]

export async function fetchRows(
  db: DatabasePool,
  table: MovedTable,
  keys: readonly Key[],
  { people, snapshot }: Pick<RowOwner, 'people' | 'snapshot'> = {},
): Promise<readonly Texts[]> {
  if (keys.length === 0) return []
  return await db.transaction(async (tx) => {
    await at(tx, snapshot)
    await useCanonicalFormats(tx)
    const columns = commaSeparated(table.columns.map(({ name }) => told(table, name, people)))
    const found = await tx.any(sql.type(Row)`
      select array[${columns}] as row from ${tableOf(table.name)} as t0 join ${keysRelation(table, keys)} on ${match(table)} order by given.n`)
    return found.map(({ row }) => row)
  })
}

export const keysRelation = (table: MovedTable, keys: readonly Key[]) => sql.fragment`
  (select * from rows from (unnest(${commaSeparated(
    table.key.map((_, i) =>
      sql.array(
        keys.map((key) => key[i] as string),
        'text',
      ),
    ),
  )}))
    with ordinality) as given (${commaSeparated([...table.key.map((_, i) => sql.identifier([`k${i}`])), sql.fragment`n`])})`

export const match = (table: MovedTable) =>
  sql.join(
    table.key.map((name, i) => {
      const type = table.columns.find((column) => column.name === name)?.type ?? 'bigint'
      return sql.fragment`${sql.identifier(['t0', name])} = ${sql.identifier(['given', `k${i}`])}::${raw(type)}`
    }),
    sql.fragment` and `,
  )

/** Use only for names and types from the database catalogue. */
export const raw = (text: string): FragmentSqlToken => ({ ...sql.fragment``, sql: text, values: [] })
