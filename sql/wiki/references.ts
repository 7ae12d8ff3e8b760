import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable, getColumns } from '../table.ts'

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
    names_value: z.boolean().nullable(),
    page: z.number().nullable(),
    paragraph: z.number().nullable(),
    created_at: z.date(),
  }),
)

export const Fault = z.enum([
  'snapshot_pending',
  'snapshot_failed',
  'snapshot_outdated',
  'quote_not_found',
  'value_not_in_quote',
])

/** True if a reference `r` proves its claim: the snapshot contains the quote, and the quote contains the value. */
export const proves = sql.fragment`(r.quote_verified and coalesce(r.names_value, false))`

/** Problem of a reference `r` with a snapshot `s`. Null if the reference is a proof. */
export const fault = sql.fragment`case when ${proves} then null when s.status = 'pending' then 'snapshot_pending'
  when s.status = 'failed' then 'snapshot_failed' when s.reading is null then 'snapshot_outdated'
  when not r.quote_verified or r.names_value is null then 'quote_not_found' else 'value_not_in_quote' end`

const Reference = table.Row.omit({ normal_quote: true, names_value: true }).extend({
  snapshot_status: z.string(),
  problem: Fault.nullable(),
})

export type Reference = z.infer<typeof Reference>

export type NewReference = Omit<
  z.infer<typeof table.Row>,
  'quote_verified' | 'names_value' | 'page' | 'paragraph' | 'created_at'
> & {
  names_value: boolean
}

/** True if a snapshot `s`, read with the current rules, contains the quote of `r`. */
const holds = sql.fragment`(s.reading is not null and coalesce(strpos(s.normal_text, r.normal_quote) > 0, false))`

/** Adds references. Verifies each immediately if its snapshot contains the quote. */
export async function add(tx: Db, given: readonly NewReference[]): Promise<void> {
  if (given.length === 0) return
  await tx.query(sql.typeAlias('void')`
    insert into wiki.claim_references (id, claim_id, source_id, snapshot_id, quote, normal_quote, locator, names_value, quote_verified)
    select r.id, r.claim_id, r.source_id, r.snapshot_id, r.quote, r.normal_quote, r.locator, r.names_value,
      ${holds}
    from json_populate_recordset(null::wiki.claim_references, ${JSON.stringify(given)}::json) as r
    join wiki.snapshots as s on s.id = r.snapshot_id`)
  await locate(
    tx,
    given.map(({ id }) => id),
  )
}

async function locate(tx: Db, ids: readonly string[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update wiki.claim_references as r
    set page = found.page, paragraph = 1 + length(found.before) - length(replace(found.before, chr(10), ''))
    from (
      select q.id, 1 + ends.before as page, substring(s.normal_text from ends.begin + 1 for place.at - 1 - ends.begin) as before
      from wiki.claim_references as q join wiki.snapshots as s on s.id = q.snapshot_id and s.page_ends is not null
      cross join lateral (select strpos(s.normal_text, q.normal_quote) as at offset 0) as place
      cross join lateral (
        select count(*)::int4 as before, coalesce(max(e), 0) as begin from unnest(s.page_ends) as e where e < place.at) as ends
      where q.id = any(${sql.array([...ids], 'uuid')}) and q.quote_verified and place.at > 0
    ) as found
    where r.id = found.id`)
}

export async function listForClaims(db: Db, claimIds: readonly string[]): Promise<readonly Reference[]> {
  const own = getColumns(Reference.omit({ snapshot_status: true, problem: true }), 'r')
  return await db.any(sql.type(Reference)`
    select ${own}, s.status as snapshot_status, ${fault} as problem
    from wiki.claim_references as r join wiki.snapshots as s on s.id = r.snapshot_id
    where r.claim_id = any(${sql.array([...claimIds], 'uuid')}) order by r.id`)
}

const CheckedReference = table.Row.pick({ id: true, quote: true, names_value: true }).extend({
  value: z.looseObject({ type: z.string() }),
})

export type WeighedReference = z.infer<typeof CheckedReference>

export async function listForCheck(
  tx: Db,
  { snapshotId, entityId }: { snapshotId?: string; entityId?: string },
): Promise<readonly WeighedReference[]> {
  const wanted = snapshotId
    ? sql.fragment`r.snapshot_id = ${snapshotId}`
    : sql.fragment`c.value ->> 'type' = 'entity' and c.value ->> 'content' = ${entityId ?? ''} and r.names_value is not null`
  return await tx.any(sql.type(CheckedReference)`
    select r.id, r.quote, r.names_value, c.value
    from wiki.claim_references as r join wiki.claims as c on c.id = r.claim_id
    where ${wanted} order by r.id`)
}

export async function setNamesValue(tx: Db, found: readonly { id: string; names_value: boolean }[]): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update wiki.claim_references as r set names_value = f.names_value
    from json_to_recordset(${JSON.stringify(found)}::json) as f (id uuid, names_value boolean) where r.id = f.id`)
}

/**
 * Verifies quotes with a new snapshot. Quotes of earlier rules become proofs or get a missing value. Verified quotes
 * stay verified.
 */
export async function verifyQuotes(
  tx: Db,
  snapshotId: string,
  found: readonly { id: string; normal_quote: string; names_value: boolean }[],
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update wiki.claim_references as r
    set quote_verified = true, normal_quote = f.normal_quote, names_value = f.names_value
    from json_to_recordset(${JSON.stringify(found)}::json) as f (id uuid, normal_quote text, names_value boolean),
      wiki.snapshots as s
    where r.id = f.id and s.id = ${snapshotId} and s.reading is not null and strpos(s.normal_text, f.normal_quote) > 0`)
  await locate(
    tx,
    found.map(({ id }) => id),
  )
}
