import type pg from 'pg'
import { type CatalogTable, readCatalog } from './catalog.ts'
import { explain, type Statement } from './plans.ts'
import { addRows, type ColumnValue, dropConstraints, fewRows } from './rows.ts'

/** Tables that other rows depend on, or that have only one row. */
const asMigrated: ReadonlySet<string> = new Set(['account.plans', 'account.platform'])

export interface TestTables {
  tables: readonly CatalogTable[]
  readBy(statements: readonly Statement[]): Promise<CatalogTable[]>
  grow(tables: readonly CatalogTable[], from: number, to: number, chosenValue?: ColumnValue): Promise<void>
}

/** Creates a few rows in every table of a migrated database. Almost all belong to the organisation. */
export async function createTestTables(client: pg.Client, orgId: string): Promise<TestTables> {
  const tables = (await readCatalog(client)).filter(({ name }) => !asMigrated.has(name))
  await dropConstraints(client, tables)
  for (const table of tables) await addRows(client, table, orgId, 1, fewRows)
  const { rows } = await client.query<{ part: string; whole: string }>(`
    select oid::regclass::text as part, pg_partition_root(oid)::regclass::text as whole from pg_class where relispartition`)
  const wholes = new Map(rows.map(({ part, whole }) => [part, whole]))
  return {
    tables,
    async readBy(statements) {
      const read = new Set<string>()
      for (const statement of statements)
        for (const table of (await explain(client, statement, fewRows)).tables) read.add(wholes.get(table) ?? table)
      return tables.filter(({ name }) => read.has(name))
    },
    async grow(grown, from, to, chosenValue) {
      for (const table of grown) await addRows(client, table, orgId, from, to, chosenValue)
      // Unsorted rows of a text index make each plan with it look expensive. In daily work, vacuum sorts them.
      await client.query(`vacuum analyze ${tables.map(({ name }) => name).join(', ')}`)
    },
  }
}
