import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'automation',
  'rule_minutes',
  z.object({ rule_id: Id, org_id: Id, minute: z.date(), runs: z.number() }),
  { retention: days(2, 'minute') },
)

export interface WantedRuns {
  rule_id: string
  org_id: string
  minute: Date
  runs: number
}

/** Counts runs of rules. Returns the number of runs of each rule and minute, including the new ones. */
export async function add(tx: Db, wanted: readonly WantedRuns[]): Promise<readonly z.infer<typeof table.Row>[]> {
  if (wanted.length === 0) return []
  // In a fixed order, so that transactions with the same rules cannot deadlock.
  const sorted = wanted
    .map((one) => ({ ...one, minute: one.minute.toISOString() }))
    .sort((a, b) => (`${a.rule_id} ${a.minute}` < `${b.rule_id} ${b.minute}` ? -1 : 1))
  return await tx.any(sql.type(table.Row)`
    ${table.insertMany(sorted)}
    on conflict (rule_id, minute) do update set runs = rule_minutes.runs + excluded.runs
    returning ${table.columns()}`)
}
