import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { jobsTable, type Queue } from './graphile-schema.ts'

export const Worker = z.object({
  id: z.string(),
  pool: z.string(),
  host: z.string(),
  pid: z.number(),
  state: z.enum(['alive', 'fenced', 'stopped', 'lost']),
  concurrency: z.number(),
  running: z.number(),
  /** True if it starts jobs. False during a pause or a drain. */
  fetches: z.boolean(),
  draining: z.boolean(),
  paused: z.boolean(),
  started_at: z.date(),
  seen_at: z.date(),
  /** Maximum delay of the process’s event loop between heartbeats, in milliseconds. Null before the first heartbeat. */
  loop_delay_ms: z.number().nullable(),
})

export type Worker = z.infer<typeof Worker>

const held = (queues: readonly Queue[]) =>
  sql.join(
    queues.map(
      (queue) => sql.fragment`
        select locked_by, count(*) as jobs from ${jobsTable(queue)} where locked_at is not null group by locked_by`,
    ),
    sql.fragment` union all `,
  )

/** Returns workers by host and process, running workers first. Ended workers are listed for a day. */
export async function workers(
  db: Db,
  queues: readonly Queue[],
  { ended = true }: { ended?: boolean } = {},
): Promise<readonly Worker[]> {
  return await db.any(sql.type(Worker)`
    with held as (${held(queues)})
    select w.id, w.pool, w.host, w.pid, w.state, w.concurrency, w.fetches, coalesce(held.jobs, 0) as running,
      exists (select from jobs.drains as d where d.host = w.host) as draining,
      exists (select from jobs.pauses as p where p.pool = w.pool and p.task = '') as paused, w.started_at, w.seen_at,
      w.loop_delay_ms
    from jobs.workers as w left join held on held.locked_by = w.locked_by
    where ${ended} or w.state in ('alive', 'fenced')
    order by w.state not in ('alive', 'fenced'), w.host, w.pid, w.pool, w.started_at desc limit 1000`)
}

const DrainState = z.object({ held: z.number(), fetching: z.number() })

export async function countDraining(
  db: Db,
  queues: readonly Queue[],
  host: string,
): Promise<z.infer<typeof DrainState>> {
  return await db.one(sql.type(DrainState)`
    with held as (${held(queues)})
    select coalesce(sum(held.jobs), 0)::int8 as held, count(*) filter (where w.fetches) as fetching
    from jobs.workers as w left join held on held.locked_by = w.locked_by where w.host = ${host} and w.state in ('alive', 'fenced')`)
}

export async function countHeld(db: Db, queues: readonly Queue[], host: string): Promise<number> {
  return (await countDraining(db, queues, host)).held
}

export async function hosts(db: Db): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ host: z.string() }))`
    select distinct host from jobs.workers where state in ('alive', 'fenced') or seen_at > now() - interval '1 day' order by host`)
}
