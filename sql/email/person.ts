import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import { deleted, type Erased, type PersonTable, texts } from '../people/person-table.ts'
import * as erased from './contacts/erased-addresses.ts'

/** Condition for a contact: linked to the person, or with the person’s address and not linked. */
const isContact = ({ org_id, user_id, emails }: PersonKeys) => sql.fragment`
  old.org_id = ${org_id} and (old.user_id = ${user_id} or (old.user_id is null and old.email = any(${texts(emails)})))`

const hasAddress = ({ org_id, emails }: PersonKeys, column: string) => sql.fragment`
  old.org_id = ${org_id} and ${sql.identifier(['old', column])} = any(${texts(emails)})`

/** Condition for a row of a list. The address of a row that waits is only in its fields. */
const isImportRow = ({ org_id, emails }: PersonKeys) => sql.fragment`
  old.org_id = ${org_id} and (old.email = any(${texts(emails)}) or (old.email is null and exists (
    select from jsonb_each_text(old.fields) as f where lower(btrim(f.value)) = any(${texts(emails)}))))`

async function keepHashes(tx: Db, person: PersonKeys): Promise<Erased> {
  const linked = await tx.anyFirst(sql.type(z.object({ email: z.string() }))`
    select email from email.contacts as old where ${isContact(person)}`)
  return { rows: await erased.keep(tx, person.org_id, [...person.emails, ...linked]) }
}

/** Condition for a delivery whose message is being sent: the first of its connection, which sends them in order. */
const isBeingSent = sql.fragment`
  d.leased_by is not null and email.is_leased(d.leased_by) and not exists (
    select from email.deliveries as e where e.leased_by = d.leased_by and e.pool = d.pool and e.mx_set = d.mx_set
      and (e.turn, e.due_at, e.message_id) < (d.turn, d.due_at, d.message_id))`

/**
 * Returns messages to the person that are not being sent now, with their deliveries locked. Workers lock deliveries
 * first, so that both cannot deadlock.
 */
async function lockMessages(
  tx: Db,
  person: PersonKeys,
  which: FragmentSqlToken,
  limit: number,
): Promise<{ ids: FragmentSqlToken; isInUse: boolean }> {
  const theirs = sql.fragment`${hasAddress(person, 'to_email')} and ${which}`
  const inUse = sql.fragment`exists (
    select from email.deliveries as d where d.message_id = old.id and ${isBeingSent})`
  const found = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    select old.id from email.messages as old where ${theirs} and not ${inUse} order by old.id limit ${limit}`)
  await tx.query(sql.typeAlias('void')`
    select from email.deliveries where message_id = any(${sql.array([...found], 'uuid')}) order by message_id for update`)
  const begun = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    select d.message_id as id from email.deliveries as d
    where d.message_id = any(${sql.array([...found], 'uuid')}) and ${isBeingSent}`)
  const isInUse = await tx.exists(sql.type(z.object({ id: Id }))`
    select old.id from email.messages as old where ${theirs} and ${inUse}`)
  const free = found.filter((id) => !begun.includes(id))
  return { ids: sql.fragment`${sql.array(free, 'uuid')}`, isInUse }
}

const Message = z.object({ id: Id, content_id: Id, family: Id })

/**
 * Deletes messages with their content, unless another recipient has the same content. A message that is being sent is
 * deleted later.
 */
async function deleteMessages(tx: Db, person: PersonKeys, limit: number): Promise<Erased> {
  const { ids, isInUse } = await lockMessages(tx, person, sql.fragment`old.campaign_id is null`, limit)
  const gone = await tx.any(sql.type(Message)`
    delete from email.messages where id = any(${ids})
    returning id, content_id, coalesce(copy_of, id) as family`)
  if (gone.length > 0) {
    await tx.query(sql.typeAlias('void')`
      delete from email.contents as c using ${sql.unnest(
        gone.map(({ content_id, family }) => [content_id, family]),
        ['uuid', 'uuid'],
      )} as g (content_id, family)
      where c.id = g.content_id and not exists (
        select from email.messages as m where (m.id = g.family or m.copy_of = g.family) and m.content_id = c.id)`)
  }
  return { rows: gone.length, isInUse }
}

/** Value that replaces the address of an erased person in messages of campaigns. */
const erasedAddress = 'erased@invalid'

/** Keeps messages of campaigns for their statistics, without anything about the person. Waiting messages are cancelled. */
async function anonymiseMessages(tx: Db, person: PersonKeys, limit: number): Promise<Erased> {
  const free = await lockMessages(tx, person, sql.fragment`old.campaign_id is not null`, limit)
  const ids = await tx.anyFirst(sql.type(z.object({ id: Id }))`
    update email.messages as m
    set to_email = ${erasedAddress}, to_written = null, contact_id = null, subject = '', metadata = null, tags = '[]',
      reason = null,
      status = case when m.status in ('scheduled', 'queued', 'deferred') then 'cancelled' else m.status end,
      cancelled_at = case when m.status in ('scheduled', 'queued', 'deferred') then now() else m.cancelled_at end
    where m.id = any(${free.ids})
    returning m.id`)
  if (ids.length > 0) {
    const all = sql.array([...ids], 'uuid')
    await tx.query(sql.typeAlias('void')`delete from email.deliveries where message_id = any(${all})`)
    await tx.query(sql.typeAlias('void')`delete from email.merges where message_id = any(${all})`)
    // Engagements are counted by tag, so they are deleted before the tags.
    await tx.query(sql.typeAlias('void')`delete from email.engagements where message_id = any(${all})`)
    await tx.query(sql.typeAlias('void')`delete from email.message_tags where message_id = any(${all})`)
    await tx.query(sql.typeAlias('void')`delete from email.attempts where message_id = any(${all})`)
  }
  return { rows: ids.length, isInUse: free.isInUse }
}

/** Deletes received emails of the person. Their bytes are deleted after the commit. */
async function deleteReceived(tx: Db, person: PersonKeys, limit: number): Promise<Erased> {
  const Gone = z.object({ id: Id, files: z.array(Id) })
  const gone = await tx.any(sql.type(Gone)`
    delete from email.received where id = any(array(
      select old.id from email.received as old where ${hasAddress(person, 'from_email')} and old.status <> 'arriving'
      order by old.id limit ${limit} for update))
    returning id, array(
      select (file ->> 'object_id')::uuid from jsonb_array_elements(attachments) as file
      where file ->> 'object_id' is not null) as files`)
  return { rows: gone.length, receivedEmails: gone.map(({ id }) => id), files: gone.flatMap(({ files }) => files) }
}

const ofContacts = (person: PersonKeys, table: 'contacts' | 'sandbox_contacts') => sql.fragment`
  old.contact_id in (select old.id from ${sql.identifier(['email', table])} as old where ${isContact(person)})`

/** Tables of email with rows of people, in the order of erasure: the hashes first, so that no later import adds an address. */
export const personTables: readonly PersonTable[] = [
  {
    name: 'email.erased_addresses',
    action: 'kept',
    why: 'Hash of each address with its unsubscription and suppressions, so that imports do not add the person again.',
    erase: keepHashes,
  },
  deleted('email', 'import_rows', isImportRow),
  deleted('email', 'sign_ups', (person) => hasAddress(person, 'email')),
  deleted('email', 'consents', (person) => ofContacts(person, 'contacts')),
  deleted('email', 'sandbox_consents', (person) => ofContacts(person, 'sandbox_contacts')),
  deleted('email', 'contact_events', (person) => ofContacts(person, 'contacts')),
  deleted('email', 'contacts', isContact),
  deleted('email', 'sandbox_contact_events', (person) => ofContacts(person, 'sandbox_contacts')),
  deleted('email', 'sandbox_contacts', isContact),
  {
    name: 'email.messages',
    action: 'deleted',
    with: [
      ...['email.contents', 'email.deliveries', 'email.attempts', 'email.merges', 'email.message_tags'],
      ...['email.sandbox_messages', 'email.engagements'],
    ],
    erase: deleteMessages,
  },
  {
    name: 'email.messages',
    action: 'anonymised',
    why: 'Messages of campaigns stay without address, subject and values, so that the statistics of campaigns stay true.',
    erase: anonymiseMessages,
  },
  { name: 'email.received', action: 'deleted', erase: deleteReceived },
  deleted('email', 'past_recipients', (person) => hasAddress(person, 'to_email')),
  deleted('email', 'past_asked', (person) => hasAddress(person, 'email')),
  deleted('email', 'strikes', (person) => hasAddress(person, 'email')),
  deleted('email', 'suppressions', (person) => hasAddress(person, 'email')),
]
