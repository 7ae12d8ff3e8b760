import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

export const keepDays = 7

export const table = defineTable(
  'email',
  'sandbox_messages',
  z.object({ message_id: Id, org_id: Id, bytes: z.number(), created_at: z.date() }),
  {
    retention: days(keepDays, 'created_at', {
      following: sql.fragment`messages as (
        delete from email.messages where id in (select message_id from gone) returning content_id, campaign_id
      ), said as (
        -- Content of campaigns belongs to the campaign.
        delete from email.contents where id in (select content_id from messages where campaign_id is null))`,
    }),
  },
)

export const limits = { messages: 10_000, bytes: 100 * 2 ** 20, contacts: 1_000 } as const

const Room = z.object({ messages: z.number(), bytes: z.number() })

/** Returns the number and size of messages that the sandbox can still store. Locked until the transaction ends. */
export async function lockRoom(tx: Db, orgId: string): Promise<z.infer<typeof Room>> {
  await lockOrgLimit(tx, orgId, 'email.messages.sandbox')
  return await tx.one(sql.type(Room)`
    select ${limits.messages} - count(*)::integer as messages, ${limits.bytes} - coalesce(sum(bytes), 0) as bytes
    from email.sandbox_messages where org_id = ${orgId}`)
}

export async function recordStored(
  tx: Db,
  kept: readonly Omit<z.infer<typeof table.Row>, 'created_at'>[],
): Promise<void> {
  if (kept.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(kept)}`)
}

/** True if the sandbox has room for these contacts. Locked until the transaction ends. */
export async function lockContactRoom(tx: Db, orgId: string, emails: readonly string[]): Promise<boolean> {
  await lockOrgLimit(tx, orgId, 'email.contacts.sandbox')
  const count = await tx.oneFirst(sql.typeAlias('count')`
    select count(*) from (
      select email from email.sandbox_contacts where org_id = ${orgId}
      union select unnest(${sql.array([...emails], 'text')})) as each`)
  return count <= limits.contacts
}
