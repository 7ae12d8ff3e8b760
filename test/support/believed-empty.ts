import { z } from 'zod'
import { type Db, sql } from '#sql/db.ts'

/** A table by its schema and name. */
type Name = readonly [schema: string, table: string]

const named = (name: Name) => sql.identifier([...name])

/**
 * Has the planner know a table of many pages that holds next to nothing: `fill` puts thousands of rows in, all but `kept` go, and
 * nobody looks again at what comes then.
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

/** Rows of a table that `work` reads in a transaction, from end to end or by an index. */
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

/** Lets a table have rows whose parents are not there, and lose rows without a look at what belongs to them. */
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
