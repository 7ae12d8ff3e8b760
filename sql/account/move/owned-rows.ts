import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type Db, sql } from '../../db.ts'

const Relation = z.object({
  name: z.string(),
  whole: z.string(),
  columns: z.array(z.string()),
  indexed: z.boolean(),
})

export type Relation = z.infer<typeof Relation>

const Reference = z.object({
  child: z.string(),
  columns: z.array(z.string()),
  parent: z.string(),
  parent_columns: z.array(z.string()),
})

/** Rows of a table that are deleted with rows of another table. */
export type Reference = z.infer<typeof Reference>

export const loose: readonly Reference[] = [
  { child: 'guard.visitors', columns: ['site_id'], parent: 'guard.sites', parent_columns: ['id'] },
  { child: 'knowledge.postings', columns: ['source_id'], parent: 'knowledge.sources', parent_columns: ['id'] },
]

/** Tables and their dependent rows. They are read from the database, so that no list in the code can be outdated. */
export interface Catalogue {
  relations: ReadonlyMap<string, Relation>
  references: readonly Reference[]
}

/**
 * Reads cascading foreign keys and the tables of all schemas except the queue schemas. For a partitioned table, reads
 * its partitions.
 */
export async function readCatalogue(db: Db): Promise<Catalogue> {
  const relations = await db.any(sql.type(Relation)`
    select n.nspname || '.' || c.relname as name, wn.nspname || '.' || w.relname as whole,
      (select coalesce(json_agg(attname order by attnum), '[]') from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
      exists (select from pg_index as i join pg_attribute as a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        where i.indrelid = c.oid and i.indpred is null and i.indisvalid and a.attname = 'org_id') as indexed
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    join pg_class as w on w.oid = coalesce(pg_partition_root(c.oid), c.oid) join pg_namespace as wn on wn.oid = w.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^(jobs_|pg_)'`)
  const references = await db.any(sql.type(Reference)`
    select cn.nspname || '.' || c.relname as child, pn.nspname || '.' || p.relname as parent,
      (select json_agg(a.attname order by k.place) from unnest(f.conkey) with ordinality as k (number, place)
        join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.number) as columns,
      (select json_agg(a.attname order by k.place) from unnest(f.confkey) with ordinality as k (number, place)
        join pg_attribute as a on a.attrelid = p.oid and a.attnum = k.number) as parent_columns
    from pg_constraint as f
    join pg_class as c on c.oid = f.conrelid join pg_namespace as cn on cn.oid = c.relnamespace
    join pg_class as p on p.oid = f.confrelid join pg_namespace as pn on pn.oid = p.relnamespace
    where f.contype = 'f' and f.confdeltype = 'c' and c.relkind = 'r' and p.relkind = 'r'
    order by 1, f.oid`)
  return { relations: new Map(relations.map((one) => [one.name, one])), references: [...references, ...loose] }
}

/** Returns the paths from a table to its dependent rows, deepest first. */
export function chainsBelow({ references }: Catalogue, name: string, above: readonly string[] = []): Reference[][] {
  const below = references.filter(({ parent, child }) => parent === name && child !== name && !above.includes(child))
  return below.flatMap((reference) => [
    ...chainsBelow({ references } as Catalogue, reference.child, [...above, name]).map((chain) => [
      reference,
      ...chain,
    ]),
    [reference],
  ])
}

export const tableOf = (name: string): FragmentSqlToken => sql.fragment`${sql.identifier(name.split('.'))}`

const alias = (n: number) => sql.identifier([`t${n}`])

/** Returns `from` with the last table of a chain, joined to the first table. Their aliases are `t<length>` and `t0`. */
export function joined(root: string, chain: readonly Reference[]): FragmentSqlToken {
  const joins = chain.map(({ columns, parent_columns }, i) => {
    const on = columns.map(
      (column, k) =>
        sql.fragment`${sql.identifier([`t${i + 1}`, column])} = ${sql.identifier([`t${i}`, parent_columns[k] as string])}`,
    )
    return sql.fragment`join ${tableOf((chain[i] as Reference).child)} as ${alias(i + 1)} on ${sql.join(on, sql.fragment` and `)}`
  })
  return sql.fragment`from ${sql.join([sql.fragment`${tableOf(root)} as t0`, ...joins], sql.fragment` `)}`
}

export const countBlocks = (db: Db, name: string): Promise<number> =>
  db.oneFirst(sql.type(z.object({ blocks: z.number() }))`
    select (pg_relation_size(to_regclass(${name})) / current_setting('block_size')::bigint)::int8 as blocks`)

/**
 * Makes a transaction use indexes and blocks instead of scanning whole tables. Also limits how long the transaction
 * waits for locks.
 */
export async function limitToIndexes(tx: Db): Promise<void> {
  const settings = ['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin']
  const off = settings.map((name) => sql.fragment`set_config(${name}, 'off', true)`)
  await tx.query(sql.unsafe`select ${sql.join(off, sql.fragment`, `)}, set_config('lock_timeout', '3s', true)`)
}

/** A range of blocks. The last block is not included. */
export type Blocks = readonly [from: number, to: number]

const within = ([from, to]: Blocks) => sql.fragment`
  t0.ctid >= ${`(${from},0)`}::tid and t0.ctid < ${`(${to},0)`}::tid`

const Row = z.object({ ctid: z.string(), facts: z.record(z.string(), z.string().nullable()) })

export type OwnedRow = z.infer<typeof Row>

export async function findBatch(
  tx: Db,
  name: string,
  orgId: string,
  { limit, blocks, facts }: { limit: number; blocks: Blocks | undefined; facts: readonly string[] },
): Promise<readonly OwnedRow[]> {
  const pairs = facts.flatMap((fact) => [
    sql.fragment`${fact}::text`,
    sql.fragment`${sql.identifier(['t0', fact])}::text`,
  ])
  const object =
    pairs.length > 0 ? sql.fragment`json_build_object(${sql.join(pairs, sql.fragment`, `)})` : sql.fragment`'{}'::json`
  return await tx.any(sql.type(Row)`
    select t0.ctid::text as ctid, ${object} as facts
    from ${tableOf(name)} as t0 where t0.org_id = ${orgId} and ${blocks ? within(blocks) : sql.fragment`true`}
    limit ${limit}`)
}

/**
 * Deletes some rows at the end of a chain that depend on rows of an organisation. Returns the number of deleted rows.
 */
export async function removeBelow(
  tx: Db,
  {
    root,
    chain,
    orgId,
    rows,
    limit,
  }: { root: string; chain: readonly Reference[]; orgId: string; rows: readonly OwnedRow[]; limit: number },
): Promise<number> {
  const last = chain.at(-1) as Reference
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from ${tableOf(last.child)} where ctid = any(array(
      select ${alias(chain.length)}.ctid ${joined(root, chain)}
      where t0.ctid = any(${ctids(rows)}) and t0.org_id = ${orgId} limit ${limit}))`)
  return rowCount
}

/** Deletes rows of an organisation. If a row was updated in the meantime, a later pass deletes it. */
export async function remove(tx: Db, name: string, orgId: string, rows: readonly OwnedRow[]): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from ${tableOf(name)} where ctid = any(${ctids(rows)}) and org_id = ${orgId}`)
  return rowCount
}

const ctids = (rows: readonly OwnedRow[]) =>
  sql.array(
    rows.map(({ ctid }) => ctid),
    'tid',
  )
