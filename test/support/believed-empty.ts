import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'

type Name = readonly [schema: string, table: string]

const named = (name: Name) => sql.identifier([...name])

/**
 * Makes the planner assume a nearly empty table with many pages: `fill` adds thousands of rows, all but `kept` are
 * deleted, and no analyze follows.
 */
export async function believedEmpty(
  db: Db,
  name: Name,
  fill: () => Promise<unknown>,
  kept = sql.fragment`ctid = (select max(ctid) from ${named(name)})`,
): Promise<void> {
  await db.query(sql.typeAlias('void')`alter table ${named(name)} set (autovacuum_enabled = false)`)
  await fill()
  await db.query(sql.typeAlias('void')`delete from ${named(name)} where not (${kept})`)
  await db.query(sql.typeAlias('void')`vacuum analyze ${named(name)}`)
}

/** Returns the rows of a table that `work` reads in a transaction, sequentially or by an index. */
export async function rowsRead(tx: Db, name: Name, work: () => Promise<unknown>): Promise<number> {
  const count = () =>
    tx.oneFirst(sql.type(z.object({ rows: z.number() }))`
      select sum(pg_stat_get_xact_tuples_returned(r) + pg_stat_get_xact_tuples_fetched(r))::float8 as rows
      from (select ${name.join('.')}::regclass union all select indexrelid from pg_index
        where indrelid = ${name.join('.')}::regclass) as of (r)`)
  const before = await count()
  await work()
  return (await count()) - before
}

/** Drops the foreign keys from and to a table. */
export async function unbound(db: Db, name: Name): Promise<void> {
  const keys = await db.any(sql.type(z.object({ schema: z.string(), table: z.string(), key: z.string() }))`
    select n.nspname as schema, c.relname as table, k.conname as key
    from pg_constraint as k join pg_class as c on c.oid = k.conrelid join pg_namespace as n on n.oid = c.relnamespace
    where k.contype = 'f' and k.conparentid = 0 and ${name.join('.')}::regclass in (k.conrelid, k.confrelid)`)
  for (const { schema, table, key } of keys) {
    await db.query(
      sql.typeAlias('void')`alter table ${named([schema, table])} drop constraint ${sql.identifier([key])}`,
    )
  }
}
