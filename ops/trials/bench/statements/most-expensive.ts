import type pg from 'pg'

export interface Statement {
  query: string
  calls: number
  /** Time to plan and execute all calls, and one call. */
  totalMs: number
  meanMs: number
  /** Time to plan one call. */
  planMs: number
  rows: number
  /** Pages read from the cache or from files, per call. */
  pages: number
}

const count = 20

interface Totals {
  totalMs: number
  planningMs: number
}

/** Returns the statements with the largest total time, and the totals of all statements in milliseconds. */
export async function listMostExpensive(client: pg.Client): Promise<Totals & { statements: Statement[] }> {
  const time = 'total_plan_time + total_exec_time'
  const own = `from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
    and userid <> (select oid from pg_roles where rolname = current_user)`
  const { rows: statements } = await client.query<Statement>(`
    select query, calls::float8, ${time} as "totalMs", (${time}) / calls as "meanMs", total_plan_time / calls as "planMs",
      rows::float8, (shared_blks_hit + shared_blks_read)::float8 / calls as pages
    ${own} order by ${time} desc limit ${count}`)
  const { rows } = await client.query<Totals>(`
    select sum(${time}) as "totalMs", sum(total_plan_time) as "planningMs" ${own}`)
  return { statements, totalMs: rows[0]?.totalMs ?? Number.NaN, planningMs: rows[0]?.planningMs ?? Number.NaN }
}

/** Returns the generic plan of a statement, or the reason why Postgres has none. */
export async function explain(client: pg.Client, { query }: Statement): Promise<string> {
  // Statistics contain a parameter instead of each constant, which the syntax does not allow everywhere.
  const typed = query
    .replace(/\b(interval|timestamptz|uuid|date) (\$\d+)/g, '($2)::$1')
    .replace(/\bextract\(\$\d+ from/g, 'extract(epoch from')
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (generic_plan) ${typed}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  } catch (error) {
    return `no plan: ${(error as Error).message}`
  }
}
