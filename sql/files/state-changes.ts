import { type Db, sql } from '../db.ts'

/** Deletes changes of objects' states that are older than `days`, at most `limit`, by id as ids grow with time; returns how many. */
export async function prune(db: Db, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    with oldest as (select id, at from files.state_changes order by id limit ${limit})
    delete from files.state_changes where id in (select id from oldest where at < now() - make_interval(days => ${days}))`)
  return rowCount
}
