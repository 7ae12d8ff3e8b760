import { type Db, sql } from '../db.ts'
import { jobsOf, type Queue } from './graphile-schema.ts'

/**
 * Takes jobs out of a queue that have had no attempt left for `days`, at most `limit`; returns how many. Their runs stay on
 * record as discarded, with what the jobs carried. A job whose run has not ended stays: its task is yet to be notified.
 */
export async function prune(db: Db, queue: Queue, days: number, limit: number): Promise<number> {
  const over = sql.fragment`now() - ${days} * interval '1 day'`
  const { rowCount } = await db.query(sql.typeAlias('void')`
    with dead as (
      select q.id, q.payload, r.id as run from ${jobsOf(queue)} as q
      left join jobs.runs as r on r.id = (q.payload ->> 'run')::uuid
      where not q.is_available and q.locked_at is null and q.run_at < ${over}
        and (r.id is null or r.finished_at < ${over})
      limit ${limit} for update of q skip locked),
    discarded as (
      update jobs.runs as r set discarded_at = now(), envelope = coalesce(r.envelope, dead.payload)
      from dead where r.id = dead.run and r.state = 'failed' and r.discarded_at is null)
    delete from ${jobsOf(queue)} where id in (select id from dead)`)
  return rowCount
}
