import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { days } from '../retention.ts'
import { defineTable, type NewRow } from '../table.ts'

export const Channel = z.enum(['sms', 'whatsapp', 'voice', 'email'])

export type Channel = z.infer<typeof Channel>

export const table = defineTable(
  'verify',
  'verifications',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    sandbox: z.boolean(),
    channel: Channel,
    channels: z.array(Channel),
    recipient: z.string(),
    user_id: z.string().nullable(),
    brand: z.string().nullable(),
    locale: z.string().nullable(),
    metadata: z.record(z.string(), z.string()),
    code_length: z.number(),
    ttl: z.number(),
    max_attempts: z.number(),
    max_sends: z.number(),
    resend_after_seconds: z.number(),
    attempts: z.number(),
    sends: z.number(),
    status: z.enum(['pending', 'approved', 'failed', 'expired', 'canceled']),
    delivery: z.enum(['queued', 'sent', 'delivered', 'failed', 'blocked']),
    reason: z.string().nullable(),
    code_hash: z.string().nullable(),
    message_id: Id.nullable(),
    country: z.string().nullable(),
    prefix: z.string().nullable(),
    ip: z.string().nullable(),
    guarded: z.boolean(),
    created_at: z.date(),
    expires_at: z.date(),
    resend_at: z.date(),
    sent_at: z.date().nullable(),
    ended_at: z.date().nullable(),
  }),
  { retention: days(30, 'created_at', { batch: 1_000 }) },
)

export const statuses = ['pending', 'undeliverable', 'approved', 'failed', 'expired', 'canceled'] as const

export type Status = (typeof statuses)[number]

const Row = table.Row.omit({ code_hash: true }).extend({ shown: z.enum(statuses) })

/** A verification without the hash of its code. `shown` is its status at this moment. */
export type Verification = z.infer<typeof Row>

const open = sql.fragment`status = 'pending' and expires_at > clock_timestamp()`

/** The status at this moment. */
export const shownStatus = sql.fragment`case when status <> 'pending' then status when expires_at <= clock_timestamp() then 'expired'
  when delivery in ('failed', 'blocked') then 'undeliverable' else 'pending' end`

const names = Object.keys(table.Row.omit({ code_hash: true, ip: true }).shape).map((name) => sql.identifier([name]))

const columns = sql.fragment`${sql.join(names, sql.fragment`, `)}, host(ip) as ip, ${shownStatus} as shown`

export type NewVerification = Omit<
  NewRow<typeof table.Row>,
  'attempts' | 'sends' | 'status' | 'code_hash' | 'expires_at' | 'resend_at' | 'channels'
> &
  Pick<Verification, 'channels' | 'ttl' | 'resend_after_seconds'>

export async function insert(tx: Db, { channels, ...row }: NewVerification): Promise<Verification> {
  return await tx.one(sql.type(Row)`
    ${table.insert({
      ...row,
      channels: sql.array(channels, 'text'),
      expires_at: after(row.ttl),
      resend_at: after(row.resend_after_seconds),
    })} returning ${columns}`)
}

const after = (seconds: number) => sql.fragment`clock_timestamp() + ${seconds} * interval '1 second'`

export interface Owner {
  orgId: string
  /** Test keys and live keys have separate verifications. */
  sandbox: boolean
  /** Only verifications that this key started. */
  keyId?: string | undefined
}

const own = ({ orgId, sandbox, keyId }: Owner) => sql.fragment`
  org_id = ${orgId} and sandbox = ${sandbox}
  and ${keyId === undefined ? sql.fragment`true` : sql.fragment`key_id = ${keyId}`}`

export async function find(db: Db, owner: Owner, id: string): Promise<Verification | null> {
  return await db.maybeOne(sql.type(Row)`
    select ${columns} from verify.verifications where id = ${id} and ${own(owner)}`)
}

/** Returns a verification of any organisation. For tasks. */
export async function findById(db: Db, id: string): Promise<Verification | null> {
  return await db.maybeOne(sql.type(Row)`select ${columns} from verify.verifications where id = ${id}`)
}

export async function findLatest(db: Db, owner: Owner, recipient: string): Promise<Verification | null> {
  return await db.maybeOne(sql.type(Row)`
    select ${columns} from verify.verifications where recipient = ${recipient} and ${own(owner)}
    order by id desc limit 1`)
}

/**
 * Counts an attempt and compares the code in one statement, so concurrent attempts cannot exceed the limit. Only keyed
 * hashes are compared, so the time of the comparison says nothing about the code. Returns null if the verification is
 * no longer open.
 */
export async function attempt(tx: Db, owner: Owner, id: string, hash: string): Promise<Verification | null> {
  const right = sql.fragment`code_hash = ${hash}`
  const last = sql.fragment`attempts + 1 >= max_attempts`
  return await tx.maybeOne(sql.type(Row)`
    update verify.verifications set attempts = attempts + 1,
      status = case when ${right} then 'approved' when ${last} then 'failed' else status end,
      reason = case when ${right} then null when ${last} then 'too_many_attempts' else reason end,
      ended_at = case when ${right} or ${last} then clock_timestamp() end,
      code_hash = case when ${right} or ${last} then null else code_hash end
    where id = ${id} and ${own(owner)} and ${open} and attempts < max_attempts returning ${columns}`)
}

/** Prepares another code. Returns null if the verification is not open, or if it is too early or has too many codes. */
export async function prepareResend(
  tx: Db,
  owner: Owner,
  id: string,
  next: { channel: Channel; ttl: number },
): Promise<Verification | null> {
  return await tx.maybeOne(sql.type(Row)`
    update verify.verifications set sends = sends + 1, channel = ${next.channel}, message_id = null,
      delivery = case when delivery = 'blocked' then delivery else 'queued' end,
      reason = case when delivery = 'blocked' then reason end,
      resend_at = ${sql.fragment`clock_timestamp() + resend_after_seconds * interval '1 second'`},
      expires_at = ${after(next.ttl)}
    where id = ${id} and ${own(owner)} and ${open} and sends < max_sends and resend_at <= clock_timestamp()
    returning ${columns}`)
}

/** Changes to the next channel after a failed delivery. Returns null if the verification has moved on. */
export async function fallBack(
  tx: Db,
  { id, sends }: Pick<Verification, 'id' | 'sends'>,
  channel: Channel,
): Promise<Verification | null> {
  return await tx.maybeOne(sql.type(Row)`
    update verify.verifications set sends = sends + 1, channel = ${channel}, delivery = 'queued', message_id = null,
      reason = null
    where id = ${id} and sends = ${sends} and ${open} returning ${columns}`)
}

/** Locks a verification whose code `send` is due. Returns null if it has moved on. */
export async function lockForSend(tx: Db, id: string, send: number): Promise<Verification | null> {
  return await tx.maybeOne(sql.type(Row)`
    select ${columns} from verify.verifications
    where id = ${id} and sends = ${send} and delivery = 'queued' and message_id is null and ${open} for update`)
}

/** Stores the hash of a code whose message is accepted. The earlier code is no longer valid. */
export async function setSent(
  tx: Db,
  id: string,
  sent: { hash: string; messageId: string; delivery: 'queued' | 'delivered' },
): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update verify.verifications set code_hash = ${sent.hash}, message_id = ${sent.messageId},
      delivery = ${sent.delivery}, sent_at = clock_timestamp() where id = ${id}`)
}

/** Stores the state of a delivery. Returns null if another code was sent, or if the state is not new. */
export async function setDelivery(
  tx: Db,
  { id, sends }: Pick<Verification, 'id' | 'sends'>,
  delivery: 'sent' | 'delivered' | 'failed',
  reason: string | null,
): Promise<Verification | null> {
  return await tx.maybeOne(sql.type(Row)`
    update verify.verifications set delivery = ${delivery}, reason = coalesce(${reason}, reason)
    where id = ${id} and sends = ${sends} and status = 'pending' and delivery not in (${delivery}, 'blocked', 'failed')
    returning ${columns}`)
}

/** Stores that the recipient gets no codes any more. The earlier code is no longer valid. */
export async function setBlocked(
  tx: Db,
  { id, sends }: Pick<Verification, 'id' | 'sends'>,
  reason: string,
): Promise<Verification | null> {
  return await tx.maybeOne(sql.type(Row)`
    update verify.verifications set delivery = 'blocked', reason = ${reason}, code_hash = null
    where id = ${id} and sends = ${sends} and status = 'pending' returning ${columns}`)
}

/** Ends an open verification. Returns null if it has ended. */
export async function cancel(tx: Db, owner: Owner, id: string): Promise<Verification | null> {
  return await tx.maybeOne(sql.type(Row)`
    update verify.verifications set status = 'canceled', ended_at = clock_timestamp(), code_hash = null
    where id = ${id} and ${own(owner)} and ${open} returning ${columns}`)
}

/** Ends a verification whose time is over. Returns null if it is open or has ended. */
export async function expire(tx: Db, id: string): Promise<Verification | null> {
  return await tx.maybeOne(sql.type(Row)`
    update verify.verifications set status = 'expired', ended_at = expires_at, code_hash = null
    where id = ${id} and status = 'pending' and expires_at <= clock_timestamp() returning ${columns}`)
}

/** Deletes verifications of a person, by the ID of the customer or by recipient. Returns their number. */
export async function removePerson(
  tx: Db,
  orgId: string,
  { userId, recipient }: { userId?: string | undefined; recipient?: string | undefined },
): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from verify.verifications
    where org_id = ${orgId} and (user_id = ${userId ?? null} or recipient = ${recipient ?? null})`)
  return rowCount
}

const isUndelivered = sql.fragment`delivery in ('failed', 'blocked')`

/** Conditions on the stored status, so that an index serves them. */
const inStatus: Record<Status, FragmentSqlToken> = {
  pending: sql.fragment`${open} and not ${isUndelivered}`,
  undeliverable: sql.fragment`${open} and ${isUndelivered}`,
  approved: sql.fragment`status = 'approved'`,
  failed: sql.fragment`status = 'failed'`,
  canceled: sql.fragment`status = 'canceled'`,
  expired: sql.fragment`status in ('pending', 'expired') and (status = 'expired' or expires_at <= clock_timestamp())`,
}

export const filters = {
  status: (status: Status) => inStatus[status],
  channel: table.equals('channel'),
  to: table.equals('recipient'),
  user_id: table.equals('user_id'),
  country: table.equals('country'),
}

export async function list(
  db: Db,
  owner: Owner,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Verification[]> {
  return await db.any(sql.type(Row)`
    select ${columns} from verify.verifications where ${own(owner)} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

const Converted = z.object({ starts: z.number(), approved: z.number() })

/** Returns the starts and approvals of a prefix in the last hour. Blocked starts do not count. */
export async function countPrefix(db: Db, orgId: string, prefix: string): Promise<z.infer<typeof Converted>> {
  return await db.one(sql.type(Converted)`
    select count(*) as starts, count(*) filter (where status = 'approved') as approved from verify.verifications
    where org_id = ${orgId} and prefix like ${`${prefix}%`} and not sandbox and delivery <> 'blocked'
      and created_at > clock_timestamp() - interval '1 hour'`)
}
