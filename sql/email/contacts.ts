import { z } from 'zod'
import { originalFormIfDifferent, toStoredForm } from '#lib/email-address.ts'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'
import * as pastAsked from './contacts/past-asked.ts'
import { matchesSegment, type Segment } from './contacts/segment-conditions.ts'

export const TopicState = z.enum(['subscribed', 'unsubscribed'])

export type TopicState = z.infer<typeof TopicState>

/** `unsubscribed` contacts never receive the stream `subscribed` again. */
export const ContactStatus = z.enum(['confirmed', 'unconfirmed', 'unsubscribed'])

export type ContactStatus = z.infer<typeof ContactStatus>

export const table = defineTable(
  'email',
  'contacts',
  z.object({
    id: Id,
    org_id: Id,
    email: z.string(),
    status: ContactStatus,
    consent_source: z.string().nullable(),
    created_at: z.date(),
    confirmed_at: z.date().nullable(),
    unsubscribed_at: z.date().nullable(),
    asked_at: z.date().nullable(),
    name: z.string().nullable(),
    attributes: z.record(z.string(), z.unknown()),
    tags: z.array(z.string()),
    written: z.string().nullable(),
    topics: z.record(z.string(), TopicState),
  }),
)

export const Contact = table.Row

export type Contact = z.infer<typeof Contact>

const columns = table.columns()

export const sandboxTable = defineTable('email', 'sandbox_contacts', table.Row)

/** Returns the table for live or test keys. Test keys have their own contacts and cannot access those of live keys. */
export const tableFor = (sandbox: boolean) => (sandbox ? sandboxTable.name : table.name)

/** `email` must be in the form of lib/email-address. */
export async function find(db: Db, orgId: string, email: string, sandbox = false): Promise<Contact | null> {
  return await db.maybeOne(
    sql.type(Contact)`select ${columns} from ${tableFor(sandbox)} as c where org_id = ${orgId} and email = ${email}`,
  )
}

export async function findMany(
  db: Db,
  wanted: readonly { org_id: string; email: string }[],
  sandbox = false,
): Promise<readonly Contact[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Contact)`
    select ${table.columns('c')} from ${tableFor(sandbox)} as c
    join ${sql.unnest(
      wanted.map(({ org_id, email }) => [org_id, email]),
      ['uuid', 'text'],
    )} as w (org_id, email) on c.org_id = w.org_id and c.email = w.email`)
}

/** Maximum number of contacts checked per page of a segment, so that statements are short. */
const mostLooked = 20_000

/** A page of contacts, and the last contact that was checked. Null if no contact was checked. */
export interface ContactPage {
  page: readonly Contact[]
  end: string | null
}

/** Returns up to `count` confirmed contacts of a segment, or of all contacts, with IDs after `after`. */
export async function listPage(
  db: Db,
  orgId: string,
  segment: Segment | null,
  after: string | null,
  count: number,
  sandbox = false,
): Promise<ContactPage> {
  const ahead = sql.fragment`
    from ${tableFor(sandbox)} as c
    where org_id = ${orgId} and status = 'confirmed' and (${after}::uuid is null or id > ${after})`
  if (!segment) {
    const page = await db.any(sql.type(Contact)`select ${columns} ${ahead} order by id limit ${count}`)
    return { page, end: page.at(-1)?.id ?? null }
  }
  // The end of the page is read first, so that a contact that leaves the segment between the statements does not move
  // it.
  const end = await db.maybeOneFirst(sql.type(z.object({ id: Id }))`
    select id from (select id ${ahead} order by id limit ${mostLooked}) as c order by id desc limit 1`)
  if (end === null) return { page: [], end }
  const page = await db.any(sql.type(Contact)`
    select ${columns} ${ahead} and id <= ${end} and ${matchesSegment(segment)} order by id limit ${count}`)
  return { page, end: page.length === count ? (page.at(-1)?.id ?? end) : end }
}

export async function findById(db: Db, orgId: string, id: string, sandbox = false): Promise<Contact | null> {
  return await db.maybeOne(
    sql.type(Contact)`select ${columns} from ${tableFor(sandbox)} where org_id = ${orgId} and id = ${id}`,
  )
}

export const filters = { status: table.equals('status') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
  sandbox = false,
): Promise<readonly Contact[]> {
  return await db.any(sql.type(Contact)`
    select ${columns} from ${tableFor(sandbox)} where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

/** Returns null if the contact is already confirmed or unsubscribed. */
export async function upsertConfirmed(
  tx: Db,
  {
    id,
    org_id,
    email,
    written,
    consent_source,
  }: Pick<Contact, 'id' | 'org_id' | 'email' | 'written'> & { consent_source: string },
  sandbox = false,
): Promise<Contact | null> {
  const changed = await tx.maybeOne(sql.type(Contact)`
    insert into ${tableFor(sandbox)} as c (id, org_id, email, written, status, consent_source, confirmed_at)
    values (${id}, ${org_id}, ${email}, ${written}, 'confirmed', ${consent_source}, now())
    on conflict (org_id, email) do update
    set status = 'confirmed', written = excluded.written, consent_source = excluded.consent_source, confirmed_at = now()
    where c.status = 'unconfirmed'
    returning ${table.columns('c')}`)
  if (changed?.id !== id || sandbox) return changed
  await pastAsked.restoreAskedAt(tx, [id])
  return await findById(tx, org_id, id)
}

export async function setWritten(tx: Db, id: string, written: string | null, sandbox: boolean): Promise<Contact> {
  return await tx.one(sql.type(Contact)`
    update ${tableFor(sandbox)} set written = ${written} where id = ${id} returning ${columns}`)
}

/** Returns null if the contact is not unconfirmed. */
export async function setConfirmed(
  tx: Db,
  orgId: string,
  id: string,
  sandbox = false,
  source = 'reconfirm',
): Promise<Contact | null> {
  return await tx.maybeOne(sql.type(Contact)`
    update ${tableFor(sandbox)} set status = 'confirmed', consent_source = ${source}, confirmed_at = now()
    where org_id = ${orgId} and id = ${id} and status = 'unconfirmed' returning ${columns}`)
}

/** Returns null if the contact is already unsubscribed. */
export async function setUnsubscribed(
  tx: Db,
  orgId: string,
  address: string,
  sandbox = false,
): Promise<Contact | null> {
  return await tx.maybeOne(sql.type(Contact)`
    insert into ${tableFor(sandbox)} as c (id, org_id, email, written, status, unsubscribed_at)
    values (${newId()}, ${orgId}, ${toStoredForm(address)}, ${originalFormIfDifferent(address)}, 'unsubscribed', now())
    on conflict (org_id, email) do update set status = 'unsubscribed', unsubscribed_at = now()
    where c.status <> 'unsubscribed'
    returning ${table.columns('c')}`)
}

/** Adds missing contacts. Existing contacts do not change. Returns the IDs of the new contacts. */
export async function insertUnconfirmed(
  tx: Db,
  orgId: string,
  wanted: readonly Pick<Contact, 'email' | 'written'>[],
  sandbox = false,
): Promise<readonly string[]> {
  if (wanted.length === 0) return []
  // In a fixed order, so that concurrent imports do not deadlock.
  const rows = [...wanted]
    .sort((a, b) => (a.email < b.email ? -1 : 1))
    .map(({ email, written }) => ({ id: newId(), org_id: orgId, email, written, status: 'unconfirmed' as const }))
  const ids = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    ${(sandbox ? sandboxTable : table).insertMany(rows)} on conflict (org_id, email) do nothing returning id`)
  if (!sandbox) await pastAsked.restoreAskedAt(tx, ids)
  return ids
}

/**
 * Deletes a contact with its rows in lists and forms, but keeps the time at which it was asked to confirm. Returns false if the contact does not exist,
 * or if it is a live contact that has unsubscribed.
 */
export async function remove(tx: Db, orgId: string, email: string, sandbox = false): Promise<boolean> {
  const gone = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    with gone as (
      delete from ${tableFor(sandbox)} where org_id = ${orgId} and email = ${email}
        and (${sandbox} or status <> 'unsubscribed')
      returning id, org_id, email, asked_at
    ), asked as (
      insert into email.past_asked as p (org_id, email, asked_at)
      select org_id, email, asked_at from gone where asked_at is not null and not ${sandbox}
      on conflict (org_id, email) do update set asked_at = greatest(p.asked_at, excluded.asked_at)
    ), listed as (
      delete from email.import_rows where org_id = ${orgId} and email in (select email from gone) and not ${sandbox}
    ), signed_up as (
      delete from email.sign_ups where org_id = ${orgId} and email in (select email from gone) and not ${sandbox})
    select id from gone`)
  return gone.length > 0
}

const Recipient = z.object({
  id: Id,
  org_id: Id,
  to_email: z.string(),
  from_email: z.string(),
  from_name: z.string().nullable(),
  contact_id: Id.nullable(),
  status: ContactStatus.nullable(),
  sandbox: z.boolean(),
  topic: z.string().nullable(),
})

export type Recipient = z.infer<typeof Recipient>

/** Returns the recipient of a message of any organisation. A token has identified the message. */
export async function findRecipient(db: Db, messageId: string): Promise<Recipient | null> {
  return await db.maybeOne(sql.type(Recipient)`
    select m.id, m.org_id, m.to_email, m.from_email, m.from_name, m.sandbox, m.topic,
      coalesce(c.id, s.id) as contact_id, coalesce(c.status, s.status) as status
    from (
      select id, org_id, to_email, from_email, from_name, sandbox, topic from email.messages where id = ${messageId}
      union all
      select message_id, org_id, to_email, from_email, from_name, false, topic
      from email.past_recipients where message_id = ${messageId}
    ) as m
    left join email.contacts as c on c.org_id = m.org_id and c.email = m.to_email and not m.sandbox
    left join email.sandbox_contacts as s on s.org_id = m.org_id and s.email = m.to_email and m.sandbox
    limit 1`)
}
