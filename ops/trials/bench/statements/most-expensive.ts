import type pg from 'pg'

export interface Statement {
  query: string
  calls: number
  totalMs: number
  meanMs: number
  rows: number
  /** Pages read from the cache or from files, per call. */
  pages: number
}

const count = 20

/** Returns the statements with the largest total time, and the total of all statements in milliseconds. */
export async function listMostExpensive(client: pg.Client): Promise<{ statements: Statement[]; totalMs: number }> {
  const own = `from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
    and userid <> (select oid from pg_roles where rolname = current_user)`
  const { rows } = await client.query<Statement>(`
    select query, calls::float8, total_exec_time as "totalMs", mean_exec_time as "meanMs", rows::float8,
      (shared_blks_hit + shared_blks_read)::float8 / calls as pages
    ${own} order by total_exec_time desc limit ${count}`)
  const all = await client.query<{ ms: number }>(`select sum(total_exec_time) as ms ${own}`)
  return { statements: rows, totalMs: all.rows[0]?.ms ?? Number.NaN }
}

/** Returns the generic plan of a statement, or the reason why Postgres has none. */
export async function explain(client: pg.Client, { query }: Statement): Promise<string> {
  // Statistics contain a parameter in place of each constant, which these types do not accept.
  const typed = query.replace(/\b(interval|timestamptz|uuid|date) (\$\d+)/g, '($2)::$1')
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${typed}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } catch (error) {
    return `no plan: ${(error as Error).message}`
  }
}
