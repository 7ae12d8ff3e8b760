import type pg from 'pg'
import { type CatalogTable, readCatalog } from './catalog.ts'
import { explain, type Statement } from './plans.ts'
import { addRows, fewRows, unbind, type ValueOf } from './rows.ts'

/** What the rows of other tables hang on, or of which there is one. */
const asMigrated: ReadonlySet<string> = new Set(['account.plans', 'account.platform'])

/** The tables of a database whose rows are made here. */
export interface Ground {
  tables: readonly CatalogTable[]
  /** Of some statements, the tables that they read: those that are to grow. */
  readBy(statements: readonly Statement[]): Promise<CatalogTable[]>
  /** Adds rows to tables until each has that many, and has all of them vacuumed and analysed. */
  grow(tables: readonly CatalogTable[], from: number, to: number, chosenValue?: ValueOf): Promise<void>
}

/** Makes few rows in every table of a migrated database, nearly all of them the organisation's. */
export async function makeGround(client: pg.Client, orgId: string): Promise<Ground> {
  const tables = (await readCatalog(client)).filter(({ name }) => !asMigrated.has(name))
  await unbind(client, tables)
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
      // Rows that a text index has yet to sort in make each plan by it look dear: they are gone through as in daily work.
      await client.query(`vacuum analyze ${tables.map(({ name }) => name).join(', ')}`)
    },
  }
}
