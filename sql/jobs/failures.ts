import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'jobs',
  'failures',
  z.object({
    id: z.string(),
    pool: z.string(),
    task: z.string(),
    job_id: z.number(),
    run_id: z.string().nullable(),
    org_id: z.string().nullable(),
    request_id: z.string().nullable(),
    worker: z.string(),
    attempt: z.number(),
    final: z.boolean(),
    started_at: z.date(),
    ended_at: z.date(),
    /** Messages of the error and its causes, and the stack. Secrets are removed. */
    error: z.string(),
    fingerprint: z.string(),
  }),
  { retention: days(14, 'ended_at') },
)

export type Failure = z.infer<typeof table.Row>

export async function insertMany(db: Db, failures: readonly Failure[]): Promise<void> {
  if (failures.length === 0) return
  await db.query(sql.typeAlias('void')`
    ${table.insertMany(failures)} on conflict (id) do nothing`)
}
