import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { defineTable } from '../table.ts'

/** Kinds of mail, by which it is allowed and leaves. */
export const Stream = z.enum(['transactional', 'security', 'subscribed', 'repermission'])

/** A kind of mail. */
export type Stream = z.infer<typeof Stream>

/** What became of a message so far. */
export const Status = z.enum([
  'queued',
  'sent',
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
  'complained',
])

/** What became of a message so far. */
export type Status = z.infer<typeof Status>

/** Messages, one to one recipient each. */
export const table = defineTable(
  'email',
  'messages',
  z.object({
    id: Id,
    org_id: Id,
    key_id: Id.nullable(),
    sandbox: z.boolean(),
    stream: Stream,
    domain_id: Id,
    from_email: z.string(),
    from_name: z.string().nullable(),
    to_email: z.string(),
    subject: z.string(),
    content_id: Id,
    campaign_id: Id.nullable(),
    contact_id: Id.nullable(),
    template_id: Id.nullable(),
    message_id: z.string(),
    status: Status,
    reply_class: z.string().nullable(),
    reason: z.string().nullable(),
    created_at: z.date(),
    sent_at: z.date().nullable(),
    delivered_at: z.date().nullable(),
    deferred_at: z.date().nullable(),
    bounced_at: z.date().nullable(),
    failed_at: z.date().nullable(),
    suppressed_at: z.date().nullable(),
    complained_at: z.date().nullable(),
  }),
  {
    retention: days('EMAIL_MESSAGE_DAYS', 'created_at', {
      following: sql.fragment`recipients as (
        insert into email.past_recipients (message_id, org_id, to_email, from_email, from_name, created_at)
        select id, org_id, to_email, from_email, from_name, created_at from gone
        where not sandbox and stream in ('subscribed', 'repermission')
        on conflict do nothing)`,
    }),
  },
)

/** A message to one recipient. */
export const Message = table.Row

/** The parsed row. */
export type Message = z.infer<typeof Message>

const columns = table.columns()

/** A message about to be recorded. */
export type NewMessage = Pick<
  Message,
  | 'id'
  | 'org_id'
  | 'key_id'
  | 'sandbox'
  | 'stream'
  | 'domain_id'
  | 'from_email'
  | 'from_name'
  | 'to_email'
  | 'subject'
  | 'content_id'
  | 'campaign_id'
  | 'contact_id'
  | 'template_id'
  | 'message_id'
  | 'status'
  | 'reason'
>

export async function insertMany(tx: Db, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(messages)}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Message | null> {
  return await db.maybeOne(
    sql.type(Message)`select ${columns} from email.messages where org_id = ${orgId} and id = ${id}`,
  )
}

export interface ListFilter {
  status: Status | undefined
  stream: Stream | undefined
  to: string | undefined
  campaignId: string | undefined
  before: string | undefined
  limit: number
}

/** An organisation's messages, newest first, after the one with id `before`. */
export async function list(db: Db, orgId: string, filter: ListFilter): Promise<readonly Message[]> {
  const { status, stream, to, campaignId, before, limit } = filter
  const wanted = [
    sql.fragment`org_id = ${orgId}`,
    ...(status ? [sql.fragment`status = ${status}`] : []),
    ...(stream ? [sql.fragment`stream = ${stream}`] : []),
    ...(to ? [sql.fragment`to_email = ${to}`] : []),
    ...(campaignId ? [sql.fragment`campaign_id = ${campaignId}`] : []),
    ...(before ? [sql.fragment`id < ${before}`] : []),
  ]
  return await db.any(sql.type(Message)`
    select ${columns} from email.messages
    where ${sql.join(wanted, sql.fragment` and `)} order by id desc limit ${limit}`)
}

/** Where messages stand, of any organisation, by their ids; those that are gone are left out. */
export async function statuses(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Status>> {
  const found = await db.any(sql.type(z.object({ id: Id, status: Status }))`
    select id, status from email.messages where id = any(${sql.array([...ids], 'uuid')})`)
  return new Map(found.map(({ id, status }) => [id, status]))
}
