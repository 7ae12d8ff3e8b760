import pg from 'pg'
import { poolNames, poolSchema } from '#tasks/pools.ts'

export interface DatabaseSample {
  connections: number
  waiting: number
  running: number
}

export interface TableFigures {
  name: string
  /** Size in bytes of the table and of its indexes. */
  heap: number
  indexes: number
  /** Number of live rows, estimated from the pages that were read. */
  rows: number
  /** Shares of the table with dead rows, and of free space. */
  dead: number
  free: number
}

const mostTables = 16

const queues = poolNames.map((pool) => poolSchema(pool))

const ofQueues = (count: string) =>
  `(${queues.map((schema) => `(select count(*) from ${schema}._private_jobs where ${count})`).join(' + ')})::integer`

export class DatabaseMonitor {
  readonly #url: string
  #client: pg.Client | undefined

  constructor(url: string) {
    this.#url = url
  }

  /** Returns current figures, or `undefined` while the database is not responding. */
  async look(): Promise<DatabaseSample | undefined> {
    const rows = await this.#ask<DatabaseSample>(`
      select (select count(*) from pg_stat_activity where backend_type = 'client backend')::integer as connections,
        ${ofQueues('locked_at is null and run_at <= now() and attempts < max_attempts')} as waiting,
        ${ofQueues('locked_at is not null')} as running`)
    return rows?.[0]
  }

  /** Returns the largest tables by page contents. Unlike statistics counters, these survive a crash. */
  async tables(): Promise<TableFigures[] | undefined> {
    return await this.#ask<TableFigures>(`
      with largest as (
        select c.oid, n.nspname || '.' || c.relname as name, pg_relation_size(c.oid) as heap, pg_indexes_size(c.oid) as indexes
        from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
        where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and pg_relation_size(c.oid) > 0
        order by pg_total_relation_size(c.oid) desc limit ${mostTables})
      select name, heap::float8, indexes::float8, s.approx_tuple_count::float8 as rows,
        s.dead_tuple_percent / 100 as dead, s.approx_free_percent / 100 as free
      from largest, pgstattuple_approx(oid) as s`)
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => {})
  }

  async #ask<T>(text: string): Promise<T[] | undefined> {
    try {
      return (await (await this.#connected()).query(text)).rows as T[]
    } catch {
      const broken = this.#client
      this.#client = undefined
      void broken?.end().catch(() => {})
      return undefined
    }
  }

  async #connected(): Promise<pg.Client> {
    if (this.#client) return this.#client
    const client = new pg.Client({ connectionString: this.#url, connectionTimeoutMillis: 2_000, query_timeout: 20_000 })
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined
    })
    await client.connect()
    await client.query('create extension if not exists pgstattuple')
    this.#client = client
    return client
  }
}
