import { allOf, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { jobsOf, type Queue } from './graphile-schema.ts'

/**
 * Takes jobs out of a queue that have had no attempt left for `days`, at most `limit`; returns how many. Their runs stay on
 * record as discarded, with what the jobs carried. A job whose run has not ended stays: its task is yet to be notified.
 */
export async function discard(db: Db, queue: Queue, days: number, limit: number): Promise<number> {
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
      from dead where ${byKey('r.id', 'dead.run', allOf('run', 'dead'))} and r.state = 'failed' and r.discarded_at is null)
    delete from ${jobsOf(queue)} where id = any(array(select id from dead))`)
  return rowCount
}

/**
 * Takes jobs out of a queue that the clock enqueued a day ago and no worker has taken since, at most `limit`; returns how many. Of a
 * task that a release has no more, no worker ever will; all others are enqueued again in their time.
 */
export async function removeUnclaimed(db: Db, queue: Queue, limit: number): Promise<number> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from ${jobsOf(queue)} where id = any(array(
      select id from ${jobsOf(queue)}
      where is_available and run_at < now() - interval '1 day' and payload -> '_cron' is not null
      limit ${limit} for update skip locked))`)
  return rowCount
}
