import pg from 'pg'
import { newId } from '#lib/ids.ts'

interface Column {
  name: string
  type: string
  needed: boolean
}

interface Key {
  child: string
  columns: string[]
  parent: string
  parent_columns: string[]
}

/** Tables of a database with what a row of each needs, and the means to fill all that an organisation can have rows in. */
export interface Filler {
  /** Tables with an `org_id`, and those that hang on them, parents first. */
  tables: readonly string[]
  /** Adds a row for an organisation to each of them; returns what they hold by table. */
  fill(orgId: string): Promise<Map<string, Record<string, unknown>>>
  /** Rows of an organisation: of tables with an `org_id` by that, of the others by those they hang on. */
  count(orgId: string): Promise<Record<string, number>>
  end(): Promise<void>
}

const skipped = [
  'account.orgs',
  'account.closures',
  'account.platform',
  'account.moves',
  'account.moved',
  'account.moved_references',
]

/**
 * Fills every table an organisation can have rows in, as the database tells of them, so that no table is forgotten. The checks of a
 * test's database are dropped before: values are made by types alone. So are the fences of closed organisations: the rows stand for
 * those that were there before.
 */
export async function filler(url: string): Promise<Filler> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const rows = async <R>(text: string, values: unknown[] = []) => (await client.query(text, values)).rows as R[]
  const keys = await rows<Key>(`
    select distinct cn.nspname || '.' || c.relname as child, pn.nspname || '.' || p.relname as parent,
      array(select a.attname::text from unnest(f.conkey) with ordinality as k (number, place)
        join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.number order by k.place) as columns,
      array(select a.attname::text from unnest(f.confkey) with ordinality as k (number, place)
        join pg_attribute as a on a.attrelid = p.oid and a.attnum = k.number order by k.place) as parent_columns
    from pg_constraint as f
    join pg_class as c on c.oid = coalesce(pg_partition_root(f.conrelid), f.conrelid)
    join pg_namespace as cn on cn.oid = c.relnamespace
    join pg_class as p on p.oid = coalesce(pg_partition_root(f.confrelid), f.confrelid)
    join pg_namespace as pn on pn.oid = p.relnamespace
    where f.contype = 'f' and f.conparentid = 0`)
  const all = await rows<{ name: string; owned: boolean }>(`
    select n.nspname || '.' || c.relname as name,
      exists (select from pg_attribute where attrelid = c.oid and attname = 'org_id' and not attisdropped) as owned
    from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and not c.relispartition and n.nspname !~ '^(jobs_|pg_|information)' order by 1`)
  for (const { statement } of await rows<{ statement: string }>(`
    select format('alter table %s drop constraint %I', conrelid::regclass, conname) as statement from pg_constraint
    where contype = 'c' and conrelid <> 0 and conparentid = 0 and conislocal
    union all
    select format('drop trigger %I on %s', tgname, tgrelid::regclass) from pg_trigger where tgname = 'refuse_closed'`))
    await client.query(statement)

  const owned = new Set(all.filter(({ owned, name }) => owned && !skipped.includes(name)).map(({ name }) => name))
  const hangs = (name: string) =>
    keys.filter((key) => key.child === name && key.parent !== name && key.parent !== 'account.orgs')
  const wanted = new Set(owned)
  for (let size = -1; size !== wanted.size; ) {
    size = wanted.size
    for (const { name } of all)
      if (hangs(name).some(({ parent }) => owned.has(parent) || wanted.has(parent))) wanted.add(name)
    // What a row cannot be without, though it belongs to nobody: a person, a switchboard.
    for (const name of [...wanted]) for (const { parent } of hangs(name)) wanted.add(parent)
  }
  const tables: string[] = []
  const place = (name: string) => {
    if (tables.includes(name)) return
    for (const { parent } of hangs(name)) place(parent)
    tables.push(name)
  }
  for (const name of wanted) place(name)

  const columnsOf = (table: string) =>
    rows<Column>(
      `
      select attname as name, format_type(atttypid, null) as type, attnotnull and not atthasdef or attname in (
        select unnest(array['id', 'org_id'])) as needed
      from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''`,
      [table],
    )

  const rowOf = async (table: string, orgId: string, made: ReadonlyMap<string, Record<string, unknown>>) => {
    const row: Record<string, unknown> = {}
    for (const { name, type, needed } of await columnsOf(table)) {
      if (name === 'org_id') row[name] = orgId
      else if (needed) row[name] = exampleOf(type)
    }
    for (const { parent, columns, parent_columns } of hangs(table)) {
      for (const [i, column] of columns.entries()) row[column] = made.get(parent)?.[parent_columns[i] as string]
    }
    return row
  }

  return {
    tables,
    async fill(orgId) {
      const made = new Map<string, Record<string, unknown>>()
      for (const table of tables) {
        const row = await rowOf(table, orgId, made)
        const names = Object.keys(row)
        const text = `insert into ${table} (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map((_, i) => `$${i + 1}`).join(', ')}) returning *`
        const [inserted] = await rows<Record<string, unknown>>(text, Object.values(row)).catch((cause) => {
          throw new Error(`${table}: ${cause.message}`, { cause })
        })
        made.set(table, inserted as Record<string, unknown>)
      }
      return made
    },
    async count(orgId) {
      const counts: Record<string, number> = {}
      for (const table of owned) {
        const [found] = await rows<{ count: string }>(`select count(*) from ${table} where org_id = $1`, [orgId])
        counts[table] = Number(found?.count)
      }
      return counts
    },
    end: () => client.end(),
  }
}

let number = 1

/** Values of types of which rows may have the same. */
const texts: Readonly<Record<string, string>> = { tsvector: 'word', interval: '1 hour', 'bit varying': '1' }

/** A value of a type that no other row has. */
function exampleOf(type: string): unknown {
  number += 1
  if (type === 'uuid') return newId()
  if (type === 'text' || type.startsWith('character')) return `v${number}`
  if (type.startsWith('json')) return '{}'
  if (type === 'boolean') return false
  if (type === 'date' || type.startsWith('timestamp')) return new Date(4_102_444_800_000 + number * 86_400_000)
  if (type === 'bytea') return Buffer.from([1])
  if (type === 'smallint') return number % 30_000
  if (['integer', 'bigint', 'real', 'double precision'].includes(type)) return number
  if (type.endsWith('[]')) return []
  if (type === 'cidr' || type === 'inet') return '192.0.2.0/24'
  const text = texts[type]
  if (text !== undefined) return text
  throw new Error(`There is no value of type ${type} here.`)
}
