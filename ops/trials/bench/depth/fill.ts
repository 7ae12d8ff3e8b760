import pg from 'pg'
import type { CatalogTable } from './catalog.ts'
import { addRows, fewRows } from './rows.ts'

/** Settings of a database that is filled quickly and lost at a crash. Only `fill` updates the statistics. */
export const fillSettings: Record<string, string> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '4GB',
  autovacuum: 'off',
  maintenance_work_mem: '512MB',
}

/** Number of tables that are filled at the same time. */
const atOnce = 2

export interface Filling {
  url: string
  orgId: string
  /** Number of the newest row, so that the newest rows are of today at each size. */
  newest: number
}

/** Keeps the rows that each table has now. Each fill starts with these rows. */
export async function keepRows(client: pg.Client, tables: readonly CatalogTable[]): Promise<void> {
  await client.query('create schema if not exists kept')
  for (const { name } of tables) await client.query(`create table ${keptName(name)} as select * from ${name}`)
}

/** Replaces the rows of tables with the kept rows and the newest generated rows, as after a vacuum in daily work. */
export async function fill(filling: Filling, tables: readonly CatalogTable[], count: number): Promise<void> {
  const waiting = [...tables]
  const fillNext = async (client: pg.Client) => {
    for (let table = waiting.shift(); table; table = waiting.shift()) await fillTable(client, filling, table, count)
  }
  await Promise.all(Array.from({ length: atOnce }, () => withClient(filling.url, fillNext)))
}

/** Replaces the rows of tables with the kept rows. */
export async function empty(client: pg.Client, tables: readonly CatalogTable[]): Promise<void> {
  for (const table of tables) {
    await client.query('begin')
    await restoreRows(client, table)
    await client.query('commit')
    await client.query(`vacuum analyze ${table.name}`)
  }
}

async function fillTable(client: pg.Client, { orgId, newest }: Filling, table: CatalogTable, count: number) {
  // Rows of a table that is truncated in the same transaction are not written to the log.
  await client.query('begin')
  const indexes = await dropIndexes(client, table.name)
  await restoreRows(client, table)
  await addRows(client, table, orgId, Math.max(fewRows, newest - count) + 1, newest)
  for (const index of indexes) await client.query(index)
  await client.query('commit')
  await client.query(`vacuum analyze ${table.name}`)
}

async function restoreRows(client: pg.Client, { name, columns }: CatalogTable): Promise<void> {
  const listed = columns.map((column) => `"${column.name}"`).join(', ')
  await client.query(`truncate ${name}`)
  await client.query(`insert into ${name} (${listed}) select ${listed} from ${keptName(name)}`)
}

/** Removes the indexes that no row depends on. Returns the statements that create them again. */
async function dropIndexes(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = $1::regclass and not indisunique`,
    [table],
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  return rows.map(({ definition }) => definition.replace(' ON ONLY ', ' ON '))
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}

const keptName = (table: string) => `kept."${table}"`
