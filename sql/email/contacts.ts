import { z } from 'zod'
import { differing, storedForm } from '#lib/email-address.ts'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import * as pastAsked from './past-asked.ts'
import { isIn, type Segment } from './segment-conditions.ts'

/** Whether a person agreed to be written to; who unsubscribed never receives the subscribed stream again. */
export const ContactStatus = z.enum(['confirmed', 'unconfirmed', 'unsubscribed'])

/** Whether a person agreed to be written to. */
export type ContactStatus = z.infer<typeof ContactStatus>

/** People that organisations write to. */
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
  }),
)

/** A person that an organisation writes to. */
export const Contact = table.Row

/** The parsed row. */
export type Contact = z.infer<typeof Contact>

const columns = table.columns()

/** The same of people whom only test keys know. */
export const sandboxTable = defineTable('email', 'sandbox_contacts', table.Row)

/** The contacts of a key: test keys have contacts of their own, and neither read nor change the organisation's. */
export const own = (sandbox: boolean) => (sandbox ? sandboxTable.name : table.name)

/** An organisation's contact by its address, in the form of lib/email-address. */
export async function find(db: Db, orgId: string, email: string, sandbox = false): Promise<Contact | null> {
  return await db.maybeOne(
    sql.type(Contact)`select ${columns} from ${own(sandbox)} as c where org_id = ${orgId} and email = ${email}`,
  )
}

/** The contacts of organisations by their addresses; addresses that are no contacts have none. */
export async function findMany(
  db: Db,
  wanted: readonly { org_id: string; email: string }[],
  sandbox = false,
): Promise<readonly Contact[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Contact)`
    select ${table.columns('c')} from ${own(sandbox)} as c
    join ${sql.unnest(
      wanted.map(({ org_id, email }) => [org_id, email]),
      ['uuid', 'text'],
    )} as w (org_id, email) on c.org_id = w.org_id and c.email = w.email`)
}

/** Confirmed contacts that one page looks through for those of a segment: a statement is short, however few they are. */
const mostLooked = 20_000

/** A page of contacts, and the last one that was looked at for it; null when there was none. */
export interface ContactPage {
  page: readonly Contact[]
  end: string | null
}

/** Confirmed contacts of a segment, or all, at most `count`, by their ids behind `after`; pages of a campaign. */
export async function pageOf(
  db: Db,
  orgId: string,
  segment: Segment | null,
  after: string | null,
  count: number,
  sandbox = false,
): Promise<ContactPage> {
  const ahead = sql.fragment`
    from ${own(sandbox)} as c
    where org_id = ${orgId} and status = 'confirmed' and (${after}::uuid is null or id > ${after})`
  if (!segment) {
    const page = await db.any(sql.type(Contact)`select ${columns} ${ahead} order by id limit ${count}`)
    return { page, end: page.at(-1)?.id ?? null }
  }
  // The end goes first: whoever leaves in between makes room for nobody who was not looked at.
  const end = await db.maybeOneFirst(sql.type(z.object({ id: Id }))`
    select id from (select id ${ahead} order by id limit ${mostLooked}) as c order by id desc limit 1`)
  if (end === null) return { page: [], end }
  const page = await db.any(sql.type(Contact)`
    select ${columns} ${ahead} and id <= ${end} and ${isIn(segment)} order by id limit ${count}`)
  return { page, end: page.length === count ? (page.at(-1)?.id ?? end) : end }
}

export async function findById(db: Db, orgId: string, id: string, sandbox = false): Promise<Contact | null> {
  return await db.maybeOne(
    sql.type(Contact)`select ${columns} from ${own(sandbox)} where org_id = ${orgId} and id = ${id}`,
  )
}

/** An organisation's contacts, newest first, after the one with id `before`. */
export async function list(
  db: Db,
  orgId: string,
  { before, limit, status }: { before: string | undefined; limit: number; status: ContactStatus | undefined },
  sandbox = false,
): Promise<readonly Contact[]> {
  const after = before ? sql.fragment`and id < ${before}` : sql.fragment``
  const only = status ? sql.fragment`and status = ${status}` : sql.fragment``
  const wanted = sql.fragment`org_id = ${orgId} ${only} ${after}`
  const page = sql.fragment`order by id desc limit ${limit}`
  return await db.any(sql.type(Contact)`select ${columns} from ${own(sandbox)} where ${wanted} ${page}`)
}

/** Adds a confirmed contact, or makes an unconfirmed one confirmed; null when it is confirmed or unsubscribed already. */
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
    insert into ${own(sandbox)} as c (id, org_id, email, written, status, consent_source, confirmed_at)
    values (${id}, ${org_id}, ${email}, ${written}, 'confirmed', ${consent_source}, now())
    on conflict (org_id, email) do update
    set status = 'confirmed', written = excluded.written, consent_source = excluded.consent_source, confirmed_at = now()
    where c.status = 'unconfirmed'
    returning ${table.columns('c')}`)
  if (changed?.id !== id || sandbox) return changed
  await pastAsked.recall(tx, [id])
  return await findById(tx, org_id, id)
}

/** Keeps how an address was written last. */
export async function setWritten(tx: Db, id: string, written: string | null, sandbox: boolean): Promise<Contact> {
  return await tx.one(sql.type(Contact)`
    update ${own(sandbox)} set written = ${written} where id = ${id} returning ${columns}`)
}

/** Makes an unconfirmed contact who was asked a confirmed one; null for any other. */
export async function setConfirmed(tx: Db, orgId: string, id: string, sandbox = false): Promise<Contact | null> {
  return await tx.maybeOne(sql.type(Contact)`
    update ${own(sandbox)} set status = 'confirmed', consent_source = 'reconfirm', confirmed_at = now()
    where org_id = ${orgId} and id = ${id} and status = 'unconfirmed' returning ${columns}`)
}

/** Makes an address, as it was written, an unsubscribed contact; null when it is one already. */
export async function setUnsubscribed(
  tx: Db,
  orgId: string,
  address: string,
  sandbox = false,
): Promise<Contact | null> {
  return await tx.maybeOne(sql.type(Contact)`
    insert into ${own(sandbox)} as c (id, org_id, email, written, status, unsubscribed_at)
    values (${newId()}, ${orgId}, ${storedForm(address)}, ${differing(address)}, 'unsubscribed', now())
    on conflict (org_id, email) do update set status = 'unsubscribed', unsubscribed_at = now()
    where c.status <> 'unsubscribed'
    returning ${table.columns('c')}`)
}

/** Adds unconfirmed contacts, each address once; those that are there stay as they are. Returns the ids of the added ones. */
export async function insertUnconfirmed(
  tx: Db,
  orgId: string,
  wanted: readonly Pick<Contact, 'email' | 'written'>[],
  sandbox = false,
): Promise<readonly string[]> {
  if (wanted.length === 0) return []
  // Two imports at once take their rows in one order, or they would deadlock.
  const rows = [...wanted]
    .sort((a, b) => (a.email < b.email ? -1 : 1))
    .map(({ email, written }) => ({ id: newId(), org_id: orgId, email, written, status: 'unconfirmed' as const }))
  const ids = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    ${(sandbox ? sandboxTable : table).insertMany(rows)} on conflict (org_id, email) do nothing returning id`)
  if (!sandbox) await pastAsked.recall(tx, ids)
  return ids
}

/**
 * Removes a contact with its history, but for when it was asked to confirm; false when there is none, or one that is real and has
 * unsubscribed.
 */
export async function remove(tx: Db, orgId: string, email: string, sandbox = false): Promise<boolean> {
  const gone = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    with gone as (
      delete from ${own(sandbox)} where org_id = ${orgId} and email = ${email}
        and (${sandbox} or status <> 'unsubscribed')
      returning id, org_id, email, asked_at
    ), asked as (
      insert into email.past_asked as p (org_id, email, asked_at)
      select org_id, email, asked_at from gone where asked_at is not null and not ${sandbox}
      on conflict (org_id, email) do update set asked_at = greatest(p.asked_at, excluded.asked_at))
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
})

/** The recipient of a message, and the contact that it is. */
export type Recipient = z.infer<typeof Recipient>

/** Whom the token of a page names by a message: of whatever organisation, as nobody else knows of tokens. */
export async function findRecipient(db: Db, messageId: string): Promise<Recipient | null> {
  return await db.maybeOne(sql.type(Recipient)`
    select m.id, m.org_id, m.to_email, m.from_email, m.from_name, m.sandbox,
      coalesce(c.id, s.id) as contact_id, coalesce(c.status, s.status) as status
    from (
      select id, org_id, to_email, from_email, from_name, sandbox from email.messages where id = ${messageId}
      union all
      select message_id, org_id, to_email, from_email, from_name, false
      from email.past_recipients where message_id = ${messageId}
    ) as m
    left join email.contacts as c on c.org_id = m.org_id and c.email = m.to_email and not m.sandbox
    left join email.sandbox_contacts as s on s.org_id = m.org_id and s.email = m.to_email and m.sandbox
    limit 1`)
}
