import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { days } from '../retention.ts'
import { createFiller, defineTable, type GivenRow } from '../table.ts'
import * as tags from './message-tags.ts'

export const Stream = z.enum(['transactional', 'security', 'subscribed', 'repermission'])

export type Stream = z.infer<typeof Stream>

export const Status = z.enum([
  'scheduled',
  'queued',
  'sent',
  'delivered',
  'deferred',
  'bounced',
  'failed',
  'suppressed',
  'complained',
  'cancelled',
])

export type Status = z.infer<typeof Status>

export const RecipientKind = z.enum(['to', 'cc', 'bcc'])

export type RecipientKind = z.infer<typeof RecipientKind>

export const Tag = z.object({ name: z.string(), value: z.string() })

export type Tag = z.infer<typeof Tag>

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
    recipient: RecipientKind,
    copy_of: Id.nullable(),
    send_at: z.date().nullable(),
    cancelled_at: z.date().nullable(),
    tags: z.array(Tag),
    metadata: z.record(z.string(), z.unknown()).nullable(),
    to_written: z.string().nullable(),
    from_written: z.string().nullable(),
    resent_from: Id.nullable(),
    topic: z.string().nullable(),
    track_opens: z.boolean().nullable(),
    track_clicks: z.boolean().nullable(),
  }),
  {
    retention: days('EMAIL_MESSAGE_DAYS', 'created_at', {
      // Messages change the same counts of opens and clicks. With 5,000 per transaction, each one takes four times as long.
      batch: 1_000,
      which: 'that are not scheduled or pending',
      where: sql.fragment`old.status <> 'scheduled'
        and not exists (select from email.deliveries as d where d.message_id = old.id)`,
      following: sql.fragment`recipients as (
        insert into email.past_recipients (message_id, org_id, to_email, from_email, from_name, created_at, topic)
        select id, org_id, to_email, from_email, from_name, created_at, topic from gone
        where not sandbox and (stream in ('subscribed', 'repermission') or topic is not null)
        on conflict do nothing)`,
    }),
  },
)

export const Message = table.Row

export type Message = z.infer<typeof Message>

const columns = table.columns()

/** Columns that the request gives. A form field with the name of such a column passes through to its row. */
const Given = table.Row.omit({
  ...{ id: true, domain_id: true, from_email: true, from_name: true, from_written: true, to_email: true },
  ...{ to_written: true, subject: true, content_id: true, campaign_id: true, contact_id: true },
  ...{ message_id: true, status: true, reply_class: true, reason: true, created_at: true, sent_at: true },
  ...{ delivered_at: true, deferred_at: true, bounced_at: true, failed_at: true, suppressed_at: true },
  ...{ complained_at: true, recipient: true, copy_of: true, send_at: true, cancelled_at: true },
})

export type GivenMessage = GivenRow<typeof Given, 'tags'>

export const fill = createFiller(Given, { tags: [] })

export type NewMessage = Partial<z.infer<typeof Given>> &
  Pick<
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
  > &
  Partial<Pick<Message, 'recipient' | 'copy_of' | 'to_written' | 'from_written'>> & {
    send_at?: string | null
  }

/** Maximum number of rows per statement, because rows with copies and metadata are large. */
const mostAtOnce = 1_000

/** All rows must have the same columns. */
export async function insertMany(tx: Db, messages: readonly NewMessage[]): Promise<void> {
  for (let from = 0; from < messages.length; from += mostAtOnce) {
    await tx.query(sql.typeAlias('void')`${table.insertMany(messages.slice(from, from + mostAtOnce))}`)
  }
  await tags.insertMany(
    tx,
    messages.flatMap(({ id, org_id, tags = [] }) => tags.map((tag) => ({ message_id: id, org_id, ...tag }))),
  )
}

export async function find(db: Db, orgId: string, id: string): Promise<Message | null> {
  return await db.maybeOne(
    sql.type(Message)`select ${columns} from email.messages where org_id = ${orgId} and id = ${id}`,
  )
}

/** Returns messages of any organisation by ID. */
export async function findMany(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Message>> {
  if (ids.length === 0) return new Map()
  const found = await db.any(
    sql.type(Message)`select ${columns} from email.messages where id = any(${sql.array([...ids], 'uuid')})`,
  )
  return new Map(found.map((message) => [message.id, message]))
}

export async function listCopies(db: Db, orgId: string, id: string): Promise<readonly Message[]> {
  return await db.any(sql.type(Message)`
    select ${columns} from email.messages where org_id = ${orgId} and copy_of = ${id} order by id`)
}

export async function findStatuses(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, Status>> {
  const found = await db.any(sql.type(z.object({ id: Id, status: Status }))`
    select id, status from email.messages where id = any(${sql.array([...ids], 'uuid')})`)
  return new Map(found.map(({ id, status }) => [id, status]))
}
