import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const table = defineTable('whatsapp', 'receivers', z.object({ phone_number_id: z.string(), org_id: Id }))

export const unclaimed = defineTable(
  'whatsapp',
  'unclaimed',
  z.object({
    provider_message_id: z.string(),
    phone_number_id: z.string(),
    wa_id: z.string(),
    type: z.string(),
    content: z.record(z.string(), z.unknown()),
    context_message_id: z.string().nullable(),
    sent_at: z.date(),
    created_at: z.date(),
  }),
  { retention: days('WHATSAPP_HISTORY_DAYS', 'created_at', { batch: 1_000 }) },
)

export type UnclaimedMessage = z.infer<typeof unclaimed.Row>

export type NewUnclaimed = Omit<UnclaimedMessage, 'sent_at' | 'created_at'> & { sent_at: string }

/**
 * Assigns an organisation to a number. Waits for concurrent transactions that store messages without an organisation.
 */
export async function assign(tx: Db, phoneNumberId: string, orgId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`lock table whatsapp.unclaimed in share row exclusive mode`)
  await tx.query(sql.typeAlias('void')`
    ${table.insert({ phone_number_id: phoneNumberId, org_id: orgId })}
    on conflict (phone_number_id) do update set org_id = excluded.org_id`)
}

export async function find(db: Db, phoneNumberId: string): Promise<string | null> {
  return await db.maybeOneFirst(sql.type(table.Row.pick({ org_id: true }))`
    select org_id from whatsapp.receivers where phone_number_id = ${phoneNumberId}`)
}

/** Stores messages. Skips messages that are stored or already belong to an organisation. */
export async function storeUnclaimed(tx: Db, messages: readonly NewUnclaimed[]): Promise<void> {
  if (messages.length === 0) return
  const now = new Date().toISOString()
  await tx.query(sql.typeAlias('void')`
    ${unclaimed.insertMany(messages.map((one) => ({ ...one, created_at: now })))} on conflict do nothing`)
}

export async function findUnclaimed(tx: Db, providerIds: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await tx.anyFirst(sql.type(unclaimed.Row.pick({ provider_message_id: true }))`
    select provider_message_id from whatsapp.unclaimed where provider_message_id = any(${sql.array([...providerIds], 'text')})`)
  return new Set(found)
}

/** Deletes and returns the stored messages of a number, oldest first. */
export async function takeUnclaimed(tx: Db, phoneNumberId: string): Promise<readonly UnclaimedMessage[]> {
  const taken = await tx.any(sql.type(unclaimed.Row)`
    delete from whatsapp.unclaimed where phone_number_id = ${phoneNumberId} returning ${unclaimed.columns()}`)
  return taken.toSorted((a, b) => a.sent_at.getTime() - b.sent_at.getTime())
}

const ReceiverView = z.object({
  phone_number_id: z.string(),
  org_id: Id.nullable(),
  org: z.string().nullable(),
  kept: z.number(),
  oldest_at: z.date().nullable(),
})

export type ReceiverView = z.infer<typeof ReceiverView>

export async function list(db: Db): Promise<readonly ReceiverView[]> {
  return await db.any(sql.type(ReceiverView)`
    select phone_number_id, r.org_id, o.name as org, coalesce(u.kept, 0) as kept, u.oldest_at
    from whatsapp.receivers as r full join (
      select phone_number_id, count(*) as kept, min(sent_at) as oldest_at from whatsapp.unclaimed group by phone_number_id
    ) as u using (phone_number_id) left join account.orgs as o on o.id = r.org_id
    order by phone_number_id`)
}
