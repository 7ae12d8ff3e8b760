import { z } from 'zod'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { days, wholeHours } from '../retention.ts'
import { defineTable } from '../table.ts'
import { counts, TaskCounts } from './counts.ts'
import type { Queue } from './graphile-schema.ts'

const Depth = TaskCounts.extend({
  oldest_s: z.number(),
})

export type Depth = z.infer<typeof Depth>

const measured = (queues: readonly Queue[]) => sql.fragment`
  select pool, task, due as waiting, later as scheduled, parked as held, running, failed,
    coalesce(extract(epoch from now() - oldest), 0)::integer as oldest_s
  from (${counts(queues)}) as counted`

const Sample = Depth.extend({ at: z.date() })

export const table = defineTable('jobs', 'depths', Sample, { retention: wholeHours(48, 'at') })

export const hours = defineTable('jobs', 'depth_hours', Sample, { retention: days(90, 'at') })

/** Returns the current number of jobs by task. Tasks without jobs have no row. */
export async function measure(db: Db, queues: readonly Queue[]): Promise<readonly Depth[]> {
  return await db.any(sql.type(Depth)`${measured(queues)}`)
}

/**
 * Stores a sample of the queues once per minute, for any number of processes. Returns true if this call stored the
 * sample.
 */
export async function sample(db: Db, queues: readonly Queue[]): Promise<boolean> {
  const pools = queues.map(({ pool }) => pool)
  return await db.transaction(async (tx) => {
    const mine = await tx.oneFirst(sql.type(z.object({ mine: z.boolean() }))`
      select pg_try_advisory_xact_lock(${advisoryLockSpaces.sample}, 0)
        and not exists (select from jobs.depths where at = date_trunc('minute', now())) as mine`)
    if (!mine) return false
    await tx.query(sql.typeAlias('void')`
      insert into jobs.depths (pool, task, at, waiting, scheduled, held, running, failed, oldest_s)
      select pool, task, date_trunc('minute', now()), waiting, scheduled, held, running, failed, oldest_s
      from (${measured(queues)}) as seen
      union all
      select pool, '', date_trunc('minute', now()), 0, 0, 0, 0, 0, 0 from unnest(${sql.array(pools, 'text')}) as pool`)
    return true
  })
}

export async function latest(db: Db): Promise<readonly Depth[]> {
  return await db.any(sql.type(Depth)`
    select pool, task, waiting, scheduled, held, running, failed, oldest_s from jobs.depths
    where at = (select max(at) from jobs.depths) and task <> ''`)
}

/** Aggregates the samples since the last hour. Running it again changes nothing. */
export async function rollUp(db: Db): Promise<void> {
  await db.query(sql.typeAlias('void')`
    insert into jobs.depth_hours (pool, task, at, waiting, scheduled, held, running, failed, oldest_s)
    select pool, task, date_trunc('hour', at, 'UTC'), max(waiting), max(scheduled), max(held), max(running), max(failed),
      max(oldest_s)
    from jobs.depths
    where at >= greatest(date_trunc('hour', now() - interval '47 hours', 'UTC'),
      (select max(at) - interval '2 hours' from jobs.depth_hours))
    group by 1, 2, 3
    on conflict (at, pool, task) do update set waiting = excluded.waiting, scheduled = excluded.scheduled,
      held = excluded.held, running = excluded.running, failed = excluded.failed, oldest_s = excluded.oldest_s`)
}
