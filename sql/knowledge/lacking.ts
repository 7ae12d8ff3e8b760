import type { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { jobsOf } from '../jobs/graphile-schema.ts'
import { table as sources } from './sources.ts'

/** The key of a source's job, of which one waits at most. */
export const jobKey = (sourceId: string): string => `embed:${sourceId}`

const Lacking = sources.Row.pick({ id: true, org_id: true })

/** A source that lacks vectors, and whose it is. */
type Lacking = z.infer<typeof Lacking>

/** Ten minutes after a first failure, twice as long after each further one, a day at most. */
const pauseIsOver = sql.fragment`(s.embed_failed_at is null
  or s.embed_failed_at < now() - least(interval '1 day', interval '5 minutes' * power(2, least(s.embed_tries, 10))))`

/** Sources that lack the vectors of a model, have no job in a queue that is to get them, and have not failed just now. */
export async function findLacking(db: Db, queue: string, model: string, limit: number): Promise<readonly Lacking[]> {
  const isLeft = sql.fragment`${pauseIsOver} and not exists (
    select from ${jobsOf({ schema: queue })} as q
    where q.key = ${jobKey('')} || s.id and (q.locked_at is not null or q.attempts < q.max_attempts))`
  return await db.any(sql.type(Lacking)`
    (select id, org_id from knowledge.sources as s where model is null and ${isLeft} order by id limit ${limit})
    union all
    (select id, org_id from knowledge.sources as s where model < ${model} and ${isLeft} order by model, id limit ${limit})
    union all
    (select id, org_id from knowledge.sources as s where model > ${model} and ${isLeft} order by model, id limit ${limit})
    limit ${limit}`)
}

/** Notes that the job for a source's vectors was given up. */
export async function noteFailure(db: Db, id: string): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update knowledge.sources set embed_failed_at = now(), embed_tries = embed_tries + 1 where id = ${id}`)
}
