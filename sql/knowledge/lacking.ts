import type { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { jobsTable } from '../jobs/graphile-schema.ts'
import { table as sources } from './sources.ts'

/** Job key of a source. Only one job with this key waits. */
export const jobKey = (sourceId: string): string => `embed:${sourceId}`

const Lacking = sources.Row.pick({ id: true, org_id: true })

type Lacking = z.infer<typeof Lacking>

/**
 * Condition that the pause has ended. The pause is 10 minutes after the first failure, and doubles with each further
 * failure, up to a day.
 */
const pauseIsOver = sql.fragment`(s.embed_failed_at is null
  or s.embed_failed_at < now() - least(interval '1 day', interval '5 minutes' * power(2, least(s.embed_tries, 10))))`

/** Returns sources that lack vectors of a model, have no such job in the queue, and have not just failed. */
export async function findLacking(db: Db, queue: string, model: string, limit: number): Promise<readonly Lacking[]> {
  const isLeft = sql.fragment`${pauseIsOver} and not exists (
    select from ${jobsTable({ schema: queue })} as q
    where q.key = ${jobKey('')} || s.id and (q.locked_at is not null or q.attempts < q.max_attempts))`
  return await db.any(sql.type(Lacking)`
    (select id, org_id from knowledge.sources as s where model is null and ${isLeft} order by id limit ${limit})
    union all
    (select id, org_id from knowledge.sources as s where model < ${model} and ${isLeft} order by model, id limit ${limit})
    union all
    (select id, org_id from knowledge.sources as s where model > ${model} and ${isLeft} order by model, id limit ${limit})
    limit ${limit}`)
}

export async function recordFailure(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update knowledge.sources set embed_failed_at = now(), embed_tries = embed_tries + 1 where id = ${id}`)
}
