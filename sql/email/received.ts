import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { lockOrgLimit } from '../org-limits.ts'
import { defineTable, getColumns } from '../table.ts'

export const ReceivedFile = z.object({
  /** Object in the files area. Null if the file was refused. */
  object_id: Id.nullable(),
  filename: z.string(),
  content_type: z.string(),
  bytes: z.number(),
  content_id: z.string().nullable(),
  /** True if the file is shown within the text, for example an image. */
  inline: z.boolean(),
  refused: z.string().nullable(),
})

export type ReceivedFile = z.infer<typeof ReceivedFile>

/** RFC 8601 §2.7. */
export const AuthResult = z.enum(['pass', 'fail', 'softfail', 'neutral', 'none', 'policy', 'temperror', 'permerror'])

export const Authentication = z.object({
  /** Result for the envelope sender (RFC 7208). */
  spf: z.object({ result: AuthResult, domain: z.string() }),
  /** Result for each signature (RFC 6376). */
  dkim: z.array(z.object({ result: AuthResult, domain: z.string(), selector: z.string(), aligned: z.boolean() })),
  /** RFC 7489. */
  dmarc: z.object({ result: AuthResult, domain: z.string(), policy: z.string().nullable() }),
})

export type Authentication = z.infer<typeof Authentication>

export const HeaderField = z.object({ name: z.string(), value: z.string() })

export const table = defineTable(
  'email',
  'received',
  z.object({
    id: Id,
    org_id: Id,
    route_id: Id,
    status: z.enum(['arriving', 'taken', 'read', 'told']),
    recipient: z.string(),
    sender: z.string(),
    remote_address: z.string(),
    remote_network: z.string(),
    helo: z.string(),
    bytes: z.number(),
    sha256: z.string().nullable(),
    fault: z.string().nullable(),
    from_email: z.string().nullable(),
    from_name: z.string().nullable(),
    to_emails: z.array(z.string()),
    subject: z.string().nullable(),
    message_id: z.string().nullable(),
    replies_to: Id.nullable(),
    auto_submitted: z.boolean(),
    no_auto_reply: z.boolean(),
    text: z.string().nullable(),
    html: z.string().nullable(),
    reply: z.string().nullable(),
    headers: z.array(HeaderField),
    authentication: Authentication.nullable(),
    attachments: z.array(ReceivedFile),
    created_at: z.date(),
    told_at: z.date().nullable(),
  }),
)

export const Received = table.Row

export type Received = z.infer<typeof Received>

const columns = table.columns()

export const ReceivedSummary = Received.omit({ text: true, html: true, reply: true, headers: true })

export type ReceivedSummary = z.infer<typeof ReceivedSummary>

/**
 * Maximum number of emails and maximum size in bytes per hour of an organisation. The limit for one network prevents a
 * network from using the complete limit.
 */
export const maxPerHour = { network: 300, mails: 1_000, bytes: 1024 ** 3 } as const

const Lately = z.object({ mails: z.number(), own: z.number(), bytes: z.number() })

export async function hasRoom(db: Db, orgId: string, network: string): Promise<boolean> {
  const { mails, own, bytes } = await db.one(sql.type(Lately)`
    select count(*) as mails, count(*) filter (where remote_network = ${network}) as own, coalesce(sum(bytes), 0) as bytes
    from email.received where org_id = ${orgId} and created_at > now() - interval '1 hour'`)
  return mails < maxPerHour.mails && own < maxPerHour.network && bytes < maxPerHour.bytes
}

export type Arriving = Pick<
  Received,
  'id' | 'org_id' | 'route_id' | 'recipient' | 'sender' | 'remote_address' | 'remote_network' | 'helo' | 'bytes'
>

/** Inserts a row before the bytes are stored. Returns false if the hourly limit is reached. */
export async function insertArriving(tx: Db, mail: Arriving): Promise<boolean> {
  await lockOrgLimit(tx, mail.org_id, 'email.received')
  if (!(await hasRoom(tx, mail.org_id, mail.remote_network))) return false
  await tx.query(sql.typeAlias('void')`${table.insert(mail)}`)
  return true
}

export async function isDuplicate(
  db: Db,
  { route_id, recipient }: Pick<Received, 'route_id' | 'recipient'>,
  sha256: string,
): Promise<boolean> {
  return await db.exists(sql.type(z.object({ id: Id }))`
    select id from email.received where route_id = ${route_id} and recipient = ${recipient} and sha256 = ${sha256}`)
}

/** Records that the bytes are stored. Returns `known` if the recipient already has an email with the same bytes. */
export async function markTaken(
  tx: Db,
  { id, org_id, route_id, recipient }: Pick<Received, 'id' | 'org_id' | 'route_id' | 'recipient'>,
  sha256: string,
): Promise<'taken' | 'known' | 'gone'> {
  await lockOrgLimit(tx, org_id, 'email.received')
  if (await isDuplicate(tx, { route_id, recipient }, sha256)) return 'known'
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update email.received set status = 'taken', sha256 = ${sha256} where id = ${id} and status = 'arriving'`)
  return rowCount === 1 ? 'taken' : 'gone'
}

export async function findOfAnyOrg(db: Db, id: string): Promise<Received | null> {
  return await db.maybeOne(sql.type(Received)`select ${columns} from email.received where id = ${id}`)
}

export async function find(db: Db, orgId: string, id: string): Promise<Received | null> {
  return await db.maybeOne(sql.type(Received)`
    select ${columns} from email.received where org_id = ${orgId} and id = ${id} and status <> 'arriving'`)
}

export type ReadParts = Partial<
  Pick<
    Received,
    | 'fault'
    | 'from_email'
    | 'from_name'
    | 'to_emails'
    | 'subject'
    | 'message_id'
    | 'replies_to'
    | 'auto_submitted'
    | 'no_auto_reply'
    | 'text'
    | 'html'
    | 'reply'
    | 'headers'
    | 'authentication'
    | 'attachments'
  >
>

/** Returns null if the row was deleted or already read. */
export async function setRead(tx: Db, id: string, { to_emails, ...parts }: ReadParts): Promise<Received | null> {
  const to = to_emails ? sql.fragment`, to_emails = ${sql.array([...to_emails], 'text')}` : sql.fragment``
  return await tx.maybeOne(sql.type(Received)`
    update email.received set status = 'read', ${table.set(parts)} ${to}
    where id = ${id} and status = 'taken' returning ${columns}`)
}

/** Returns null if the event was already sent. */
export async function markNotified(tx: Db, id: string, fault: string | null = null): Promise<Received | null> {
  return await tx.maybeOne(sql.type(Received)`
    update email.received set status = 'told', told_at = now(), fault = coalesce(${fault}, fault) where id = ${id} and status in ('taken', 'read')
    returning ${columns}`)
}

export const filters = {
  from: table.equals('from_email'),
  route_id: table.equals('route_id'),
  replies_to: table.equals('replies_to'),
}

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly ReceivedSummary[]> {
  return await db.any(sql.type(ReceivedSummary)`
    select ${getColumns(ReceivedSummary)} from email.received
    where org_id = ${orgId} and status <> 'arriving' and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/** Returns emails older than `days`, and rows whose bytes did not arrive within an hour. */
export async function listExpired(db: Db, days: number, limit: number): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ id: Id }))`
    select id from email.received
    where created_at < now() - ${days}::integer * interval '1 day'
    union all
    select id from email.received
    where status = 'arriving' and created_at < now() - interval '1 hour' and created_at > now() - interval '1 day'
    limit ${limit}`)
}

export async function remove(tx: Db, id: string): Promise<Received | null> {
  return await tx.maybeOne(sql.type(Received)`delete from email.received where id = ${id} returning ${columns}`)
}

/** Returns the first message that has one of these Message-IDs. */
export async function findAnswered(
  db: Db,
  orgId: string,
  candidates: readonly { id: string; message_id: string }[],
): Promise<string | null> {
  if (candidates.length === 0) return null
  return await db.maybeOneFirst(sql.type(z.object({ id: Id }))`
    select m.id from ${sql.unnest(
      candidates.map(({ id, message_id }, i) => [id, message_id, i]),
      ['uuid', 'text', 'int4'],
    )} as c (id, message_id, place)
    join email.messages as m on m.id = c.id and m.org_id = ${orgId} and m.message_id = c.message_id
    order by c.place limit 1`)
}
