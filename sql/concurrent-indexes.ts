import type pg from 'pg'

const wish = 'create index if not exists '

interface Part {
  whole: boolean
  schema: string
  name: string
}

/**
 * Creates the indexes of a migration’s `create index if not exists` statements without blocking writes. The migration
 * then finds the indexes. For a partitioned table, each partition gets its own index, and the migration’s statement
 * combines them. Incomplete indexes of an interrupted run are created again. Indexes of empty tables are left to the
 * migration.
 */
export async function makeIndexes(client: pg.Client, migration: string): Promise<void> {
  for (const { index, table, definition } of wantedBy(migration)) {
    const { rows: parts } = await client.query<Part>(
      `select c.oid = to_regclass($1) as whole, n.nspname as schema, c.relname as name
       from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
       where c.relkind = 'r' and pg_relation_size(c.oid) > 0
         and (c.oid = to_regclass($1) or c.oid in (select relid from pg_partition_tree(to_regclass($1))))`,
      [table],
    )
    for (const { whole, schema, name } of parts) {
      const made = whole ? index : `${name}_${index}`
      const { rows } = await client.query(
        'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
        [`${schema}.${made}`],
      )
      if (rows[0]?.valid) continue
      if (rows[0]) await client.query(`drop index concurrently ${schema}.${made}`)
      await client.query(`create index concurrently ${made} on ${schema}.${name} ${definition}`)
    }
  }
}

/** Returns the indexes that a migration creates with `create index if not exists INDEX on SCHEMA.TABLE DEFINITION;`. */
function wantedBy(migration: string): { index: string; table: string; definition: string }[] {
  const code = migration.split('\n').filter((line) => !line.startsWith('--'))
  const statements = code
    .join('\n')
    .split(';')
    .map((statement) => statement.trim())
  return statements
    .filter((statement) => statement.startsWith(wish))
    .map((statement) => {
      const [index = '', , table = '', ...definition] = statement.slice(wish.length).split(/\s/)
      return { index, table, definition: definition.join(' ') }
    })
}
