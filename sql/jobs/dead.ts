import { allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { jobsTable, type Queue } from './graphile-schema.ts'

/**
 * Removes up to `limit` jobs from a queue that failed more than `days` days ago. Returns the number of removed jobs.
 * Their runs stay on record as discarded, with the payload. A job whose run has not ended stays, because its task must
 * still be notified.
 */
export async function discard(db: Db, queue: Queue, days: number, limit: number): Promise<number> {
  const over = sql.fragment`now() - ${days} * interval '1 day'`
  const { rowCount } = await db.query(sql.typeAlias('void')`
    with dead as (
      select q.id, q.payload, r.id as run from ${jobsTable(queue)} as q
      left join jobs.runs as r on r.id = (q.payload ->> 'run')::uuid
      where not q.is_available and q.locked_at is null and q.run_at < ${over}
        and (r.id is null or r.finished_at < ${over})
      limit ${limit} for update of q skip locked),
    discarded as (
      update jobs.runs as r set discarded_at = now(), envelope = coalesce(r.envelope, dead.payload)
      from dead where ${byKey('r.id', 'dead.run', allOf('run', 'dead'))} and r.state = 'failed' and r.discarded_at is null)
    delete from ${jobsTable(queue)} where id = any(array(select id from dead))`)
  return rowCount
}

/**
 * Removes up to `limit` scheduled jobs that were added more than a day ago and never fetched. Returns the number of
 * removed jobs. If the task no longer exists, no worker fetches its jobs. Jobs of other tasks are added again at their
 * next scheduled time.
 */
export async function removeUnclaimed(db: Db, queue: Queue, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from ${jobsTable(queue)} where id = any(array(
      select id from ${jobsTable(queue)}
      where is_available and run_at < now() - interval '1 day' and payload -> '_cron' is not null
      limit ${limit} for update skip locked))`)
  return rowCount
}
