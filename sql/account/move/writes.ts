import { z } from 'zod'
import { type DatabasePool, type Db, sql } from '../../db.ts'
import { tableOf } from './owned-rows.ts'
import {
  commaSeparated,
  disableTriggers,
  type Key,
  keysRelation,
  match,
  raw,
  type Texts,
  useCanonicalFormats,
} from './rows.ts'
import type { MovedTable } from './tables.ts'

/** Number of rows per transaction: for rows named by key, and for other rows. */
const [batch, stride] = [500, 2_000]

/** `add`: all rows are new. `replace`: the keys exist. `spare`: existing rows stay. */
export type WriteMode = 'add' | 'replace' | 'spare'

export async function writeRows(
  db: DatabasePool,
  table: MovedTable,
  rows: readonly Texts[],
  manner: WriteMode,
): Promise<void> {
  if (rows.length === 0) return
  const names = table.columns.map(({ name }) => sql.identifier([name]))
  const columns = sql.join(names, sql.fragment`, `)
  const values = table.columns.map(({ name, type }) => sql.fragment`${sql.identifier(['u', name])}::${raw(type)}`)
  const key = sql.join(
    table.key.map((name) => sql.identifier([name])),
    sql.fragment`, `,
  )
  const others = table.columns.filter(({ name }) => !table.key.includes(name))
  const sets = others.map(({ name }) => sql.fragment`${sql.identifier([name])} = excluded.${sql.identifier([name])}`)
  const onConflict = {
    add: sql.fragment``,
    spare: sql.fragment`on conflict do nothing`,
    replace:
      sets.length === 0
        ? sql.fragment`on conflict do nothing`
        : !table.whole
          ? sql.fragment``
          : sql.fragment`on conflict (${key}) do update set ${commaSeparated(sets)}`,
  }[manner]
  await db.transaction(async (tx) => {
    await useCanonicalFormats(tx)
    await disableTriggers(tx)
    // Without a key on the whole table, only the partition shows whether a row exists.
    if (manner === 'replace' && !table.whole)
      await remove(
        tx,
        table,
        rows.map((row) => keyOf(table, row)),
      )
    const arrays = commaSeparated(
      table.columns.map((_, i) =>
        sql.array(
          rows.map((row) => row[i] ?? null),
          'text',
        ),
      ),
    )
    await tx.query(sql.typeAlias('void')`
      insert into ${tableOf(table.name)} (${columns}) select ${commaSeparated(values)} from unnest(${arrays}) as u (${columns}) ${onConflict}`)
  })
}

export async function removeRows(db: DatabasePool, table: MovedTable, keys: readonly Key[]): Promise<void> {
  for (let from = 0; from < keys.length; from += batch) {
    const some = keys.slice(from, from + batch)
    await db.transaction(async (tx) => {
      await disableTriggers(tx)
      await remove(tx, table, some)
    })
  }
}

async function remove(tx: Db, table: MovedTable, keys: readonly Key[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    delete from ${tableOf(table.name)} as t0 using ${keysRelation(table, keys)} where ${match(table)}`)
}

const keyOf = (table: MovedTable, row: Texts): Key =>
  table.key.map((name) => row[table.columns.findIndex((column) => column.name === name)] as string)

export async function removeBatch(db: DatabasePool, table: MovedTable, orgId: string): Promise<number> {
  return await db.transaction(async (tx) => {
    await disableTriggers(tx)
    const { rowCount } = await tx.query(sql.typeAlias('void')`
      delete from ${tableOf(table.name)} where (tableoid, ctid) in (
        select t0.tableoid, t0.ctid from ${tableOf(table.name)} as t0 where ${table.belongs(orgId)} limit ${stride})`)
    return rowCount
  })
}

const Part = z.object({ whole: z.string(), name: z.string(), bound: z.string() })

/**
 * Creates the missing partitions of the target, so that both databases accept the same rows. Tables with a default
 * partition accept all rows.
 */
export async function makeParts(
  source: DatabasePool,
  target: DatabasePool,
  tables: readonly MovedTable[],
): Promise<void> {
  const wholes = tables.filter(({ parted }) => parted).map(({ name }) => name)
  const read = (db: Db) =>
    db.any(sql.type(Part)`
      select pn.nspname || '.' || p.relname as whole, cn.nspname || '.' || c.relname as name,
        pg_get_expr(c.relpartbound, c.oid) as bound
      from pg_inherits as i join pg_class as p on p.oid = i.inhparent join pg_namespace as pn on pn.oid = p.relnamespace
      join pg_class as c on c.oid = i.inhrelid join pg_namespace as cn on cn.oid = c.relnamespace
      where pn.nspname || '.' || p.relname = any(${sql.array(wholes, 'text')}) and c.relkind = 'r'
        and not exists (select from pg_partitioned_table where partrelid = p.oid and partdefid <> 0)`)
  const there = new Set((await read(target)).map(({ whole, bound }) => `${whole} ${bound}`))
  for (const { whole, name, bound } of await read(source)) {
    if (there.has(`${whole} ${bound}`)) continue
    await target.transaction(async (tx) => {
      await tx.query(sql.unsafe`select set_config('lock_timeout', '5s', true)`)
      await tx.query(sql.typeAlias('void')`create table ${tableOf(name)} (like ${tableOf(whole)} including all)`)
      await tx.query(
        sql.typeAlias('void')`alter table ${tableOf(whole)} attach partition ${tableOf(name)} ${raw(bound)}`,
      )
    })
  }
}
