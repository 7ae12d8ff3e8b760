import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { loose } from './owned-rows.ts'

const Column = z.object({ name: z.string(), type: z.string(), needed: z.boolean() })

const Relation = z.object({
  name: z.string(),
  /** Written columns by name, without generated ones. */
  columns: z.array(Column),
  /** Columns of the primary key. A partitioned table can have a primary key only on its partitions. */
  key: z.array(z.string()),
  /** True if the primary key belongs to the whole table. */
  whole: z.boolean(),
  /** True if the database generates numbers for the key. Rows then get new numbers in another database. */
  numbered: z.boolean(),
  parted: z.boolean(),
})

const Reference = z.object({
  child: z.string(),
  columns: z.array(z.string()),
  parent: z.string(),
  parent_columns: z.array(z.string()),
  cascades: z.boolean(),
})

type Reference = z.infer<typeof Reference>

export interface MovedTable extends z.infer<typeof Relation> {
  belongs(orgId: string): FragmentSqlToken
  /** The same condition for a row given as `$1`, for a trigger. Empty if `org_id` is enough. */
  belongsText(orgId: string): string
  shared: readonly Reference[]
}

export const readRelations = (db: Db): Promise<readonly z.infer<typeof Relation>[]> =>
  db.any(sql.type(Relation)`
    select n.nspname || '.' || c.relname as name,
      (select coalesce(json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod), 'needed', attnotnull)
          order by attname), '[]') from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = '') as columns,
      (select coalesce(json_agg(a.attname order by k.place), '[]') from pg_index as i
        cross join unnest(i.indkey) with ordinality as k (number, place)
        join pg_attribute as a on a.attrelid = i.indrelid and a.attnum = k.number
        where i.indexrelid = (select min(indexrelid) from pg_index where indisprimary and indrelid = coalesce(
          (select indrelid from pg_index where indisprimary and indrelid = c.oid),
          (select min(inhrelid::oid) from pg_inherits where inhparent = c.oid)))) as key,
      exists (select from pg_index where indrelid = c.oid and indisprimary) as whole,
      exists (select from pg_index as i join pg_attribute as a on a.attrelid = c.oid and a.attnum = any(i.indkey)
        where i.indrelid = c.oid and i.indisprimary and a.attidentity <> '') as numbered,
      c.relkind = 'p' as parted
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition
      and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname !~ '^(jobs_|pg_)'
    order by 1`)

export async function readMovedTables(db: Db, stays: Readonly<Record<string, string>>): Promise<MovedTable[]> {
  const relations = await readRelations(db)
  // Some foreign keys of a partitioned table exist only on its partitions.
  const found = await db.any(sql.type(Reference)`
    select distinct cn.nspname || '.' || c.relname as child, pn.nspname || '.' || p.relname as parent,
      f.confdeltype = 'c' as cascades,
      (select jsonb_agg(a.attname order by k.place) from unnest(f.conkey) with ordinality as k (number, place)
        join pg_attribute as a on a.attrelid = f.conrelid and a.attnum = k.number) as columns,
      (select jsonb_agg(a.attname order by k.place) from unnest(f.confkey) with ordinality as k (number, place)
        join pg_attribute as a on a.attrelid = f.confrelid and a.attnum = k.number) as parent_columns
    from pg_constraint as f
    join pg_class as c on c.oid = coalesce(pg_partition_root(f.conrelid), f.conrelid)
    join pg_namespace as cn on cn.oid = c.relnamespace
    join pg_class as p on p.oid = coalesce(pg_partition_root(f.confrelid), f.confrelid)
    join pg_namespace as pn on pn.oid = p.relnamespace
    where f.contype = 'f' and f.conparentid = 0 order by 1, 2, 4`)
  const references = [...found, ...loose.map((one) => ({ ...one, cascades: true }))]
  return sorted(
    owned(relations, references, stays),
    references.filter(({ child, parent }) => child !== parent),
  )
}

type Known = ReadonlyMap<string, z.infer<typeof Relation>>

const root = 'account.orgs'

/** Returns tables with an `org_id`, and the tables that depend on them. */
function owned(
  relations: readonly z.infer<typeof Relation>[],
  references: readonly Reference[],
  stays: Readonly<Record<string, string>>,
): MovedTable[] {
  const known: Known = new Map(relations.map((one) => [one.name, one]))
  const hasOrg = ({ columns }: z.infer<typeof Relation>) => columns.some(({ name }) => name === 'org_id')
  const wanted = new Set(relations.filter((one) => one.name === root || hasOrg(one)).map(({ name }) => name))
  for (const name of Object.keys(stays)) wanted.delete(name)
  const up = (name: string) =>
    references.filter(
      ({ child, parent, cascades }) => child === name && cascades && child !== parent && wanted.has(parent),
    )
  for (let size = -1; size !== wanted.size; ) {
    size = wanted.size
    for (const { name } of relations) if (!(name in stays) && up(name).length > 0) wanted.add(name)
  }
  const belongs = (name: string, orgId: string, alias: string): string => {
    const relation = known.get(name) as z.infer<typeof Relation>
    const id = `'${orgId}'`
    if (name === root) return `${alias}.id = ${id}`
    if (hasOrg(relation)) return `${alias}.org_id = ${id}`
    const ways = up(name)
    const sure = ways.find(({ columns }) => columns.every((c) => relation.columns.find((r) => r.name === c)?.needed))
    const parts = (sure ? [sure] : ways).map(({ columns, parent, parent_columns }) => {
      const inner = `${alias}p`
      const [own, above] = [
        columns.map((c) => `${alias}.${quoted(c)}`),
        parent_columns.map((c) => `${inner}.${quoted(c)}`),
      ]
      return `(${own.join(', ')}) in (select ${above.join(', ')} from ${quotedName(parent)} as ${inner} where ${belongs(parent, orgId, inner)})`
    })
    return `(${parts.join(' or ')})`
  }
  return relations
    .filter(({ name }) => wanted.has(name))
    .map((relation) => ({
      ...relation,
      belongs: (orgId) => raw(belongs(relation.name, checked(orgId), 't0')),
      belongsText: (orgId) =>
        hasOrg(relation) ? '' : `select ${belongs(relation.name, checked(orgId), '($1)')}`.replaceAll('($1)p', 'p'),
      shared: references.filter(
        ({ child, parent }) => child === relation.name && !wanted.has(parent) && !(parent in stays),
      ),
    }))
}

const checked = (orgId: string): string => z.uuid().parse(orgId)
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

export const quotedName = (name: string): string => name.split('.').map(quoted).join('.')

/** Use only for names from the database catalogue and for IDs. */
const raw = (text: string): FragmentSqlToken => ({ ...sql.fragment``, sql: text, values: [] })

function sorted(tables: MovedTable[], references: readonly Reference[]): MovedTable[] {
  const byName = new Map(tables.map((one) => [one.name, one]))
  const placed = new Set<MovedTable>()
  const place = (one: MovedTable, below: readonly string[]) => {
    if (placed.has(one) || below.includes(one.name)) return
    for (const { child, parent } of references) {
      const above = byName.get(parent)
      if (child === one.name && above) place(above, [...below, one.name])
    }
    placed.add(one)
  }
  const orgs = byName.get(root)
  if (orgs) place(orgs, [])
  for (const one of tables) place(one, [])
  return [...placed]
}
