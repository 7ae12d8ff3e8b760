import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

/** ID of a person in a push app. `app_id` is `null` if the person has the ID in every app. */
const PushId = z.object({ app_id: Id.nullable(), user_id: z.string() })

/** Everything by which the rows of a person are found. Addresses that another person also has are not included. */
export const PersonKeys = z.object({
  org_id: Id,
  user_id: z.string(),
  /** ID of the person in the tables of notify. */
  person_id: Id,
  emails: z.array(z.string()),
  phones: z.array(z.string()),
  /** Accounts of the phone numbers at WhatsApp. */
  wa_ids: z.array(z.string()),
  push_ids: z.array(PushId),
})

export type PersonKeys = z.infer<typeof PersonKeys>

/** A person of an organisation. `person_id` is the ID in the tables of notify. */
export type PersonName = Pick<PersonKeys, 'org_id' | 'user_id' | 'person_id'>

const Address = z.object({
  address: z.string(),
  sources: z.array(z.enum(['directory', 'contact', 'whatsapp', 'verification'])),
  verified: z.boolean(),
  shared: z.boolean(),
})

export type PersonAddress = z.infer<typeof Address>

/** Maximum number of addresses of a person that are read. */
const most = 50

/** Addresses that a person has proved with a code. */
const verified = ({ org_id, user_id }: PersonName, what: 'email' | 'phone') => sql.fragment`
  (select recipient, 'verification' from verify.verifications
    where org_id = ${org_id} and user_id = ${user_id} and status = 'approved' and not sandbox
      and (channel = 'email') = ${what === 'email'} order by id desc limit ${most})`

/** Condition: another person has proved to have the address. */
const isVerifiedByAnother = ({ org_id, user_id }: PersonName, column: FragmentSqlToken) => sql.fragment`exists (
  select from verify.verifications as o
  where o.org_id = ${org_id} and o.recipient = ${column} and o.user_id <> ${user_id} and o.status = 'approved' and not o.sandbox)`

/** Returns the email addresses of a person. `shared` if the organisation has also given the address to another person. */
export async function listEmails(db: Db, person: PersonName): Promise<readonly PersonAddress[]> {
  const { org_id, user_id, person_id } = person
  return await db.any(sql.type(Address)`
    select f.email as address, array_agg(distinct f.source order by f.source) as sources,
      coalesce(bool_or(c.status = 'confirmed'), false) or bool_or(f.source = 'verification') as verified,
      coalesce(bool_or(c.user_id <> ${user_id}), false) or exists (
        select from notify.people as p
        where p.org_id = ${org_id} and p.email = f.email and p.user_id <> ${person_id})
        or ${isVerifiedByAnother(person, sql.fragment`f.email`)} as shared
    from (
      (select email, 'directory' as source from notify.people
        where org_id = ${org_id} and user_id = ${person_id} and email is not null)
      union all
      (select email, 'contact' from email.contacts where org_id = ${org_id} and user_id = ${user_id} order by id limit ${most})
      union all ${verified(person, 'email')}
    ) as f
    left join email.contacts as c on c.org_id = ${org_id} and c.email = f.email
    group by f.email order by f.email`)
}

/** Returns the phone numbers of a person. `verified` if a code was approved, or if the person has written by WhatsApp. */
export async function listPhones(db: Db, person: PersonName): Promise<readonly PersonAddress[]> {
  const { org_id, user_id, person_id } = person
  return await db.any(sql.type(Address)`
    select f.phone as address, array_agg(distinct f.source order by f.source) as sources,
      coalesce(bool_or(w.last_inbound_at is not null), false) or bool_or(f.source = 'verification') as verified,
      coalesce(bool_or(r.user_id <> ${user_id}), false) or exists (
        select from notify.people as p
        where p.org_id = ${org_id} and p.phone = f.phone and p.user_id <> ${person_id})
        or ${isVerifiedByAnother(person, sql.fragment`f.phone`)} as shared
    from (
      (select phone, 'directory' as source from notify.people
        where org_id = ${org_id} and user_id = ${person_id} and phone is not null)
      union all
      (select phone, 'whatsapp' from whatsapp.recipients
        where org_id = ${org_id} and user_id = ${user_id} order by id limit ${most})
      union all ${verified(person, 'phone')}
    ) as f
    left join whatsapp.recipients as r on r.org_id = ${org_id} and r.phone = f.phone
    left join whatsapp.numbers as n on n.phone = f.phone
    left join whatsapp.conversations as w on w.org_id = ${org_id} and w.wa_id = coalesce(n.wa_id, substr(f.phone, 2))
    group by f.phone order by f.phone`)
}

/** Returns everything by which the rows of a person are found. */
export async function findKeys(db: Db, person: PersonName): Promise<PersonKeys> {
  const emails = ofOne(await listEmails(db, person))
  const phones = ofOne(await listPhones(db, person))
  const wa_ids = [...(await listAccounts(db, phones))]
  const { org_id, user_id, person_id } = person
  return { org_id, user_id, person_id, emails, phones, wa_ids, push_ids: await listPushIds(db, person) }
}

const ofOne = (addresses: readonly PersonAddress[]): string[] =>
  addresses.flatMap(({ address, shared }) => (shared ? [] : [address]))

const listAccounts = (db: Db, phones: readonly string[]): Promise<readonly string[]> =>
  db.anyFirst(sql.type(z.object({ wa_id: z.string() }))`
    select coalesce(n.wa_id, substr(p.phone, 2)) as wa_id
    from unnest(${sql.array([...phones], 'text')}) as p (phone) left join whatsapp.numbers as n on n.phone = p.phone`)

/** The directory can name another ID for one app. This ID must not be that of another person of the directory. */
async function listPushIds(db: Db, { org_id, user_id, person_id }: PersonName): Promise<z.infer<typeof PushId>[]> {
  const named = await db.any(sql.type(PushId)`
    select p.push_app_id as app_id, p.push_user_id as user_id from notify.people as p
    where p.org_id = ${org_id} and p.user_id = ${person_id} and p.push_app_id is not null and p.push_user_id is not null
      and p.push_user_id <> ${user_id} and not exists (
        select from notify.people as o where o.org_id = p.org_id and o.subject = p.push_user_id)`)
  return [{ app_id: null, user_id }, ...named]
}

/** Returns the ID of the person with a phone number. `null` if no person has it, or several. */
export async function findByPhone(db: Db, orgId: string, phone: string): Promise<string | null> {
  const ids = await db.anyFirst(sql.type(z.object({ user_id: z.string() }))`
    select subject as user_id from notify.people where org_id = ${orgId} and phone = ${phone}
    union
    select user_id from whatsapp.recipients where org_id = ${orgId} and phone = ${phone} and user_id is not null
    limit 2`)
  return ids.length === 1 ? (ids[0] ?? null) : null
}

/** True if any area has a row with the ID of the person, or if an erasure of the person has failed. */
export async function isKnown(db: Db, { org_id, user_id, person_id }: PersonName): Promise<boolean> {
  return await db.oneFirst(sql.type(z.object({ known: z.boolean() }))`
    select exists (select from notify.people where org_id = ${org_id} and user_id = ${person_id})
      or exists (select from notify.users where org_id = ${org_id} and user_id = ${person_id})
      or exists (select from notify.events where org_id = ${org_id} and user_id = ${person_id})
      or exists (select from notify.preferences where org_id = ${org_id} and user_id = ${person_id})
      or exists (select from notify.topic_people where org_id = ${org_id} and user_id = ${person_id})
      or exists (select from notify.broadcast_people where org_id = ${org_id} and user_id = ${person_id})
      or exists (select from notify.chat_messages where org_id = ${org_id} and user_id = ${user_id})
      or exists (select from verify.verifications where org_id = ${org_id} and user_id = ${user_id})
      or exists (select from email.contacts where org_id = ${org_id} and user_id = ${user_id})
      or exists (select from whatsapp.recipients where org_id = ${org_id} and user_id = ${user_id})
      or exists (select from push.users where org_id = ${org_id} and user_id = ${user_id})
      or exists (select from push.messages where org_id = ${org_id} and user_id = ${user_id})
      or exists (select from bots.conversations where org_id = ${org_id} and user_id = ${user_id})
      or exists (select from identity.checks where org_id = ${org_id} and subject = ${user_id})
      or exists (select from identity.prompts where org_id = ${org_id} and subject = ${user_id})
      or exists (select from identity.face_checks where org_id = ${org_id} and subject = ${user_id})
      or exists (select from video.playback_sessions where org_id = ${org_id} and viewer_id = ${user_id})
      or exists (select from live.chat_people where org_id = ${org_id} and identity = ${user_id})
      or exists (select from rooms.participants as p join rooms.rooms as r on r.id = p.room_id
        where p.identity = ${user_id} and r.org_id = ${org_id})
      or exists (select from people.erasures
        where org_id = ${org_id} and user_id = ${user_id} and status = 'failed' and identifiers is not null) as known`)
}

/** Returns keys without addresses that the organisation has given to another person since. */
export async function withoutClaimed(db: Db, keys: PersonKeys): Promise<PersonKeys> {
  const { org_id, user_id, person_id } = keys
  const free = (values: readonly string[], column: 'email' | 'phone') =>
    db.anyFirst(sql.type(z.object({ value: z.string() }))`
    select v.value from unnest(${sql.array([...values], 'text')}) as v (value)
    where not exists (select from notify.people as p
        where p.org_id = ${org_id} and ${sql.identifier(['p', column])} = v.value and p.user_id <> ${person_id})
      and not exists (select from ${column === 'email' ? sql.identifier(['email', 'contacts']) : sql.identifier(['whatsapp', 'recipients'])} as c
        where c.org_id = ${org_id} and ${sql.identifier(['c', column])} = v.value and c.user_id <> ${user_id})
      and not ${isVerifiedByAnother(keys, sql.fragment`v.value`)}`)
  const phones = await free(keys.phones, 'phone')
  return {
    ...keys,
    emails: [...(await free(keys.emails, 'email'))],
    phones: [...phones],
    wa_ids: [...(await listAccounts(db, phones))],
  }
}

/** Returns the keys with those that were added since. */
export const mergeKeys = (first: PersonKeys, second: PersonKeys): PersonKeys => ({
  ...first,
  emails: [...new Set([...first.emails, ...second.emails])],
  phones: [...new Set([...first.phones, ...second.phones])],
  wa_ids: [...new Set([...first.wa_ids, ...second.wa_ids])],
  push_ids: [...new Map([...first.push_ids, ...second.push_ids].map((id) => [JSON.stringify(id), id])).values()],
})
