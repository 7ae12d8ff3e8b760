import { z } from 'zod'
import { type DatabasePool, sql } from '#sql/db.ts'

const Step = z.object({ task: z.string(), waited_since: z.number(), begun: z.number(), ended: z.number().nullable() })

/** Times of a job of an asset (added, started, ended) in seconds since the start of the measurement. */
export type Step = z.infer<typeof Step>

/** Returns the started jobs of an asset. `since` is in milliseconds since 1970. */
export async function listSteps(db: DatabasePool, assetId: string, since: number): Promise<readonly Step[]> {
  const start = since / 1000
  return await db.any(sql.type(Step)`
    select task, extract(epoch from created_at)::float8 - ${start}::float8 as waited_since,
      extract(epoch from started_at)::float8 - ${start}::float8 as begun,
      extract(epoch from finished_at)::float8 - ${start}::float8 as ended
    from jobs.runs where subject = ${assetId} and started_at is not null order by started_at`)
}
