import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { columnsOf, defineTable } from '../table.ts'

/** What claims rest on. */
export const table = defineTable(
  'wiki',
  'claim_references',
  z.object({
    id: Id,
    claim_id: Id,
    source_id: Id,
    snapshot_id: Id,
    quote: z.string(),
    normal_quote: z.string(),
    locator: z.string().nullable(),
    quote_verified: z.boolean(),
    created_at: z.date(),
  }),
)

/** A reference with the state of its snapshot. */
const Reference = table.Row.omit({ normal_quote: true }).extend({ snapshot_status: z.string() })

/** A reference with the state of its snapshot. */
export type Reference = z.infer<typeof Reference>

/** A reference to be added. */
export type NewReference = Omit<z.infer<typeof table.Row>, 'quote_verified' | 'created_at'>

/** Adds references, each verified at once if its snapshot holds its quote. */
export async function add(tx: Db, given: readonly NewReference[]): Promise<void> {
  if (given.length === 0) return
  await tx.query(sql.typeAlias('void')`
    insert into wiki.claim_references (id, claim_id, source_id, snapshot_id, quote, normal_quote, locator, quote_verified)
    select r.id, r.claim_id, r.source_id, r.snapshot_id, r.quote, r.normal_quote, r.locator,
      coalesce(strpos(s.normal_text, r.normal_quote) > 0, false)
    from json_populate_recordset(null::wiki.claim_references, ${JSON.stringify(given)}::json) as r
    join wiki.snapshots as s on s.id = r.snapshot_id`)
}

/** The references of claims, oldest first. */
export async function listOf(db: Db, claimIds: readonly string[]): Promise<readonly Reference[]> {
  const own = columnsOf(Reference.omit({ snapshot_status: true }), 'r')
  return await db.any(sql.type(Reference)`
    select ${own}, s.status as snapshot_status
    from wiki.claim_references as r join wiki.snapshots as s on s.id = r.snapshot_id
    where r.claim_id = any(${sql.array([...claimIds], 'uuid')}) order by r.id`)
}
