import { z } from 'zod'
import { type Db, sql } from '../../db.ts'
import { waitingSince } from './positions.ts'
import { table } from './streams.ts'

const Streak = table.Row.pick({ failures: true, failing_since: true, failing_told_at: true })

/** Counts a failure of the leased stream. Returns null if the lease has ended. */
export async function recordFailure(
  tx: Db,
  id: string,
  wakeId: string,
  error: string,
): Promise<z.infer<typeof Streak> | null> {
  return await tx.maybeOne(sql.type(Streak)`
    update account.log_streams set failures = least(failures + 1, 1000), failing_since = coalesce(failing_since, now()),
      last_error = ${error}, last_error_at = now()
    where id = ${id} and leased_by = ${wakeId} returning failures, failing_since, failing_told_at`)
}

/** Marks a failing stream as reported. Returns false if it was reported before. */
export async function markTold(tx: Db, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update account.log_streams set failing_told_at = now()
    where id = ${id} and failing_since is not null and failing_told_at is null`)
  return rowCount === 1
}

const Before = table.Row.pick({ failing_since: true, failing_told_at: true })

/** Ends the failures of the leased stream. Returns their start. Null if the lease has ended. */
export async function recordSuccess(tx: Db, id: string, wakeId: string): Promise<z.infer<typeof Before> | null> {
  return await tx.maybeOne(sql.type(Before)`
    update account.log_streams as s set failures = 0, failing_since = null, failing_told_at = null, last_sent_at = now()
    from (select id, failing_since, failing_told_at from account.log_streams where id = ${id} for no key update) as b
    where s.id = b.id and s.leased_by = ${wakeId} returning b.failing_since, b.failing_told_at`)
}

const Fleet = z.object({
  kind: table.Row.shape.kind,
  state: z.enum(['running', 'failing', 'paused']),
  streams: z.number(),
})

export type FleetCount = z.infer<typeof Fleet>

/** Returns the number of streams by kind and state, for metrics. */
export async function countByState(db: Db): Promise<readonly FleetCount[]> {
  return await db.any(sql.type(Fleet)`
    select kind, case when paused_at is not null then 'paused' when failing_since is not null then 'failing'
      else 'running' end as state, count(*) as streams
    from account.log_streams group by 1, 2`)
}

const Listed = table.Row.pick({
  ...{ id: true, org_id: true, name: true, kind: true, paused_at: true, failing_since: true, last_error: true },
}).extend({ org_name: z.string(), waiting_since: z.date().nullable(), lost: z.number() })

export type Listed = z.infer<typeof Listed>

/** Returns streams of all organisations for operators: failing streams first, then by the longest lag. */
export async function listForOperators(db: Db, limit: number): Promise<readonly Listed[]> {
  return await db.any(sql.type(Listed)`
    select s.id, s.org_id, o.name as org_name, s.name, s.kind, s.paused_at, s.failing_since, s.last_error,
      p.waiting_since, coalesce(p.lost, 0) as lost
    from account.log_streams as s join account.orgs as o on o.id = s.org_id
    left join lateral (
      select min(${waitingSince}) as waiting_since, sum(p.lost) as lost from account.log_stream_positions as p
      where p.stream_id = s.id) as p on true
    order by s.paused_at is not null, s.failing_since nulls last, p.waiting_since nulls last, s.id limit ${limit}`)
}
