import { z } from 'zod'
import { type Db, sql } from '../db.ts'

const Load = z.object({
  orgs: z.number(),
  /** Number of requests with a key per second, over the last five recorded minutes. */
  requests_per_second: z.number(),
  /** Number of due jobs that had not started in the last measured minute. */
  waiting: z.number(),
  bytes: z.number(),
})

export type Load = z.infer<typeof Load>

export async function measureLoad(db: Db): Promise<Load> {
  return await db.one(sql.type(Load)`
    select (select count(*) from account.orgs) as orgs,
      (select coalesce(sum(count), 0) / 300.0 from account.request_minutes where at >= now() - interval '5 minutes')::float8
        as requests_per_second,
      (select coalesce(sum(waiting), 0) from jobs.depths where at = (select max(at) from jobs.depths))::bigint as waiting,
      pg_database_size(current_database()) as bytes`)
}
