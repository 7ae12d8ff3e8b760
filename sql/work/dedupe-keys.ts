import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { hours } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'work',
  'dedupe_keys',
  z.object({ org_id: Id, key: z.string(), job_id: Id, until: z.date() }),
  { retention: hours(0, 'until') },
)

const Claimed = z.object({ org_id: Id, key: z.string(), job_id: Id })

export type Claimed = z.infer<typeof Claimed>

/**
 * Claims dedupe keys for new jobs. Returns the job of each key: the new job, or the job that has claimed the key before.
 * Each key may occur once. Waits for transactions that claim the same keys.
 */
export async function claim(tx: Db, claims: readonly (Claimed & { seconds: number })[]): Promise<readonly Claimed[]> {
  return await tx.any(sql.type(Claimed)`
    insert into work.dedupe_keys as d (org_id, key, job_id, until)
    select org_id, key, job_id, now() + seconds * interval '1 second'
    from json_to_recordset(${JSON.stringify(claims)}::json)
      as g (org_id uuid, key text, job_id uuid, seconds integer)
    order by org_id, key
    on conflict (org_id, key) do update set
      job_id = case when d.until <= now() then excluded.job_id else d.job_id end,
      until = case when d.until <= now() then excluded.until else d.until end
    returning org_id, key, job_id`)
}

/** Gives claimed keys, which the transaction has locked, to other jobs from now on. */
export async function replace(tx: Db, claims: readonly (Claimed & { seconds: number })[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update work.dedupe_keys as d set job_id = g.job_id, until = now() + g.seconds * interval '1 second'
    from json_to_recordset(${JSON.stringify(claims)}::json)
      as g (org_id uuid, key text, job_id uuid, seconds integer)
    where d.org_id = g.org_id and d.key = g.key`)
}
