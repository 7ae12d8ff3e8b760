import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { allIn, byKey } from '../by-key.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { ChatChannel } from './connections.ts'
import { Event } from './events.ts'

export const table = defineTable(
  'notify',
  'copies',
  z.object({
    event_id: Id,
    org_id: Id,
    channel: z.enum(['email', 'push', 'whatsapp', 'sms', ...ChatChannel.options]),
    digest_id: Id.nullable(),
    /**
     * Person in the directory at the time of the event. `null` if the directory had no such person, or if the copy is
     * sent immediately.
     */
    person_id: Id.nullable(),
    /** Empty in a window. When the window ends, the address is read from the directory. */
    recipient: z.string(),
    recipient_user: z.string().nullable(),
    is_contact: z.boolean(),
    sender: z.string().nullable(),
    from_domains: z.array(z.string()).nullable(),
    status: z.enum(['waiting', 'accepted', 'refused', 'failed']),
    reason: z.string().nullable(),
    detail: z.string().nullable(),
    message_id: Id.nullable(),
    ended_at: z.date().nullable(),
  }),
)

export const Copy = table.Row

export type Copy = z.infer<typeof Copy>

export const WaitingCopy = Copy.omit({
  status: true,
  reason: true,
  detail: true,
  message_id: true,
  ended_at: true,
}).extend(
  Event.pick({
    key_id: true,
    user_id: true,
    subject: true,
    product_key: true,
    type: true,
    title: true,
    body: true,
    data: true,
    url: true,
  }).shape,
)

export type WaitingCopy = z.infer<typeof WaitingCopy>

export type NewCopy = Omit<Copy, 'status' | 'reason' | 'detail' | 'message_id' | 'ended_at'>

export async function insertMany(tx: Db, copies: readonly NewCopy[]): Promise<void> {
  if (copies.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(copies)}`)
}

/** Copies to send immediately, by their events, or the copies of a digest. */
type CopySelection = { eventIds: readonly string[] } | { digestId: string }

const those = (which: CopySelection) =>
  'digestId' in which
    ? sql.fragment`c.digest_id = ${which.digestId}`
    : sql.fragment`c.digest_id is null and c.event_id = any(${sql.array([...which.eventIds], 'uuid')})`

/** Returns pending copies of events or of a digest, in the order of their events, locked until the transaction ends. */
export async function lockWaiting(tx: Db, which: CopySelection): Promise<readonly WaitingCopy[]> {
  return await tx.any(sql.type(WaitingCopy)`
    select c.event_id, c.org_id, c.channel, c.digest_id, c.person_id, c.recipient, c.recipient_user, c.is_contact, c.sender, c.from_domains,
      e.key_id, e.user_id, e.subject, e.product_key, e.type, e.title, e.body, e.data, e.url
    from notify.copies as c join notify.events as e on e.id = c.event_id
    where ${those(which)} and c.status = 'waiting' order by c.event_id, c.channel for update of c`)
}

export type EndedCopy = Pick<Copy, 'event_id' | 'channel' | 'reason' | 'detail' | 'message_id'> & {
  status: Exclude<Copy['status'], 'waiting'>
}

export async function endMany(tx: Db, ended: readonly EndedCopy[]): Promise<void> {
  if (ended.length === 0) return
  await tx.query(sql.typeAlias('void')`
    update notify.copies as c
    set status = w.status, reason = w.reason, detail = w.detail, message_id = w.message_id, ended_at = now()
    from ${sql.unnest(
      ended.map(({ event_id, channel, status, reason, detail, message_id }) => [
        ...[event_id, channel, status, reason, detail, message_id],
      ]),
      ['uuid', 'text', 'text', 'text', 'text', 'uuid'],
    )} as w (event_id, channel, status, reason, detail, message_id)
    where ${byKey(
      'c.event_id',
      'w.event_id',
      allIn(
        ended.map(({ event_id }) => event_id),
        'uuid',
      ),
    )} and c.channel = w.channel and c.status = 'waiting'`)
}

/** Makes failed copies pending again. */
export async function retryMany(tx: Db, which: CopySelection): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update notify.copies as c set status = 'waiting', reason = null, detail = null, ended_at = null
    where ${those(which)} and c.status = 'failed'`)
}

export async function listOf(db: Db, eventId: string): Promise<readonly Copy[]> {
  return await db.any(
    sql.type(Copy)`select ${table.columns()} from notify.copies where event_id = ${eventId} order by channel`,
  )
}

export async function listOfMany(db: Db, eventIds: readonly string[]): Promise<readonly Copy[]> {
  return await db.any(sql.type(Copy)`
    select ${table.columns()} from notify.copies where event_id = any(${sql.array([...eventIds], 'uuid')})
    order by event_id, channel`)
}

/** Marks pending copies as given up, because no attempt is left. */
export async function giveUp(tx: Db, which: CopySelection, error: Error): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update notify.copies as c
    set status = 'failed', reason = 'given_up', detail = ${`All attempts failed: ${error.name}.`}, ended_at = now()
    where ${those(which)} and c.status = 'waiting'`)
}
