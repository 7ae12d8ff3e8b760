import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

export const Channel = z.enum(['email', 'push', 'whatsapp', 'sms'])

export type Channel = z.infer<typeof Channel>

/** Evidence of changes of consent that the organisation has reported. */
export const table = defineTable(
  'people',
  'consent_changes',
  z.object({
    id: Id,
    org_id: Id,
    user_id: z.string(),
    channel: Channel,
    state: z.enum(['granted', 'denied']),
    previous_state: z.enum(['granted', 'denied', 'pending', 'none']),
    source: z.string(),
    evidence: z.record(z.string(), z.string()),
    given_at: z.date(),
    actor: z.string(),
    created_at: z.date(),
  }),
)

export type ConsentChange = z.infer<typeof table.Row>

export async function insert(
  tx: Db,
  { given_at, ...change }: Omit<ConsentChange, 'id' | 'created_at' | 'given_at'> & { given_at: string },
): Promise<ConsentChange> {
  return await tx.one(sql.type(table.Row)`
    ${table.insert({ id: newId(), ...change, given_at: sql.fragment`${given_at}::timestamptz` })} returning ${table.columns()}`)
}

/** Returns the newest report of a channel. */
export async function findLatest(
  db: Db,
  { org_id, user_id, channel }: Pick<ConsentChange, 'org_id' | 'user_id' | 'channel'>,
): Promise<ConsentChange | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from people.consent_changes
    where org_id = ${org_id} and user_id = ${user_id} and channel = ${channel} order by id desc limit 1`)
}

export const filters = { channel: table.equals('channel') }

export async function list(
  db: Db,
  { org_id, user_id }: Pick<ConsentChange, 'org_id' | 'user_id'>,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly ConsentChange[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from people.consent_changes
    where org_id = ${org_id} and user_id = ${user_id} and ${where} and ${isOlder(before)} order by id desc limit ${limit}`)
}
