import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { jobsTable } from '../jobs/graphile-schema.ts'

/** Returns the plan’s limit of waiting jobs in a pool. Null if the organisation does not exist. */
export async function findLimit(db: Db, orgId: string): Promise<number | null> {
  return await db.maybeOneFirst(sql.type(z.object({ waiting_jobs: z.number() }))`
    select p.waiting_jobs from account.orgs as o join account.plans as p on p.name = o.plan where o.id = ${orgId}`)
}

/** Returns the number of jobs that have not ended, up to `most`. */
export async function count(db: Db, orgId: string, most: number): Promise<number> {
  return await db.oneFirst(sql.typeAlias('count')`
    select count(*) from (
      select from work.jobs where org_id = ${orgId} and status in ('blocked', 'waiting', 'running')
      limit ${most}) as pending`)
}

const Lost = z.object({ id: Id, org_id: Id, turn: z.number() })

/**
 * Locks jobs whose entry in the queue is gone, among the `limit` oldest entries. An entry is only removed after the
 * result is committed, so such a job would never start.
 */
export async function lockLost(tx: Db, queue: string, limit: number): Promise<readonly z.infer<typeof Lost>[]> {
  return await tx.any(sql.type(Lost)`
    with oldest as materialized (
      select id, queue_id from work.jobs where phase in ('ready', 'running') order by queue_id limit ${limit}),
    lost as materialized (
      select id, queue_id from oldest
      where not exists (select from ${jobsTable({ schema: queue })} as q
        where q.id = oldest.queue_id and q.payload -> 'payload' ->> 'jobId' = oldest.id::text))
    select j.id, j.org_id, j.turn from work.jobs as j join lost on j.id = lost.id and j.queue_id = lost.queue_id
    where j.phase in ('ready', 'running') for no key update of j skip locked`)
}
