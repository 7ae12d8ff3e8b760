import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Part } from '../filters.ts'
import { shownStatus } from '../verify/verifications.ts'
import type { PersonKeys } from './keys.ts'

/** Kinds of entries, with the area that has them. */
export const Kind = z.enum([
  'email',
  'received_email',
  'notification',
  'push',
  'whatsapp',
  'bot',
  'call',
  'sms',
  'verification',
])

export type Kind = z.infer<typeof Kind>

const Entry = z.object({
  id: Id,
  kind: Kind,
  at: z.date(),
  direction: z.enum(['inbound', 'outbound']),
  status: z.string(),
  /** Email address or phone number of the person. */
  address: z.string().nullable(),
  /** Stream, type, or app. */
  about: z.string().nullable(),
  /** Subject, title or text: a content. */
  title: z.string().nullable(),
})

export type Entry = z.infer<typeof Entry>

/** Maximum length of a title in characters. */
const titleLength = 200

type Query = (person: PersonKeys, part: Part) => FragmentSqlToken

const texts = (values: readonly string[]) => sql.fragment`unnest(${sql.array([...values], 'text')})`

const verification = sql.fragment`
  v.id, 'verification' as kind, v.created_at as at, 'outbound' as direction, ${shownStatus} as status,
  v.recipient as address, v.channel as about, null::text as title`

/** Each query reads at most one page of its index per address, newest first. */
const queries: Readonly<Record<Kind, Query>> = {
  email: ({ org_id, emails }, { before, limit }) => sql.fragment`
    select e.* from ${texts(emails)} as a (address) cross join lateral (
      select id, 'email' as kind, created_at as at, 'outbound' as direction, status, to_email as address, stream as about,
        subject as title
      from email.messages where org_id = ${org_id} and to_email = a.address and not sandbox and ${isOlder(before)}
      order by id desc limit ${limit}) as e`,
  received_email: ({ org_id, emails }, { before, limit }) => sql.fragment`
    select e.* from ${texts(emails)} as a (address) cross join lateral (
      select id, 'received_email' as kind, created_at as at, 'inbound' as direction, 'received' as status,
        from_email as address, recipient as about, subject as title
      from email.received where org_id = ${org_id} and from_email = a.address and status <> 'arriving' and ${isOlder(before)}
      order by id desc limit ${limit}) as e`,
  notification: ({ org_id, person_id }, { before, limit }) => sql.fragment`
    select id, 'notification' as kind, created_at as at, 'outbound' as direction, 'created' as status,
      null::text as address, type as about, title
    from notify.events where org_id = ${org_id} and user_id = ${person_id} and ${isOlder(before)}
    order by id desc limit ${limit}`,
  push: ({ org_id, push_ids }, { before, limit }) => sql.fragment`
    select e.* from json_to_recordset(${JSON.stringify(push_ids)}::json) as p (app_id uuid, user_id text) cross join lateral (
      select m.id, 'push' as kind, m.created_at as at, 'outbound' as direction, m.status, null::text as address,
        m.app_id::text as about, m.content ->> 'title' as title
      from push.messages as m
      where m.org_id = ${org_id} and m.user_id = p.user_id and (p.app_id is null or m.app_id = p.app_id)
        and ${isOlder(before, ['m', 'id'])}
      order by m.id desc limit ${limit}) as e`,
  whatsapp: ({ org_id, phones }, { before, limit }) => sql.fragment`
    select e.* from ${texts(phones)} as a (address) cross join lateral (
      select id, 'whatsapp' as kind, created_at as at, direction, case status when 'sending' then 'queued' else status end as status,
        phone as address, type as about, coalesce(content ->> 'body', content ->> 'caption', content ->> 'name') as title
      from whatsapp.messages where org_id = ${org_id} and phone = a.address and ${isOlder(before)}
      order by id desc limit ${limit}) as e`,
  bot: ({ org_id, user_id }, { before, limit }) => sql.fragment`
    select c.id, 'bot' as kind, c.created_at as at, 'inbound' as direction,
      case when c.closed_at is null then 'open' else 'closed' end as status, null::text as address, c.bot_id::text as about,
      (select m.content from bots.messages as m where m.conversation_id = c.id and m.role = 'user' order by m.seq limit 1) as title
    from bots.conversations as c where c.org_id = ${org_id} and c.user_id = ${user_id} and ${isOlder(before, ['c', 'id'])}
    order by c.id desc limit ${limit}`,
  call: ({ org_id, phones }, { before, limit }) => sql.fragment`
    select e.* from ${texts(phones)} as a (address) cross join lateral (
      select c.id, 'call' as kind, c.created_at as at, 'outbound' as direction, c.status, l.number as address,
        c.caller_id as about, null::text as title
      from voice.legs as l join voice.calls as c on c.id = l.call_id
      where l.number = a.address and c.org_id = ${org_id} and ${isOlder(before, ['l', 'call_id'])}
      order by l.call_id desc limit ${limit}) as e`,
  sms: ({ org_id, phones }, { before, limit }) => sql.fragment`
    select e.* from ${texts(phones)} as a (address) cross join lateral (
      select id, 'sms' as kind, created_at as at, direction, case status when 'sending' then 'queued' else status end as status,
        phone as address, sender as about, case when not is_sensitive then text end as title
      from sms.messages where org_id = ${org_id} and phone = a.address and ${isOlder(before)}
      order by id desc limit ${limit}) as e`,
  verification: ({ org_id, user_id, emails, phones }, { before, limit }) => sql.fragment`
    (select ${verification} from verify.verifications as v
      where v.org_id = ${org_id} and v.user_id = ${user_id} and not v.sandbox and ${isOlder(before, ['v', 'id'])}
      order by v.id desc limit ${limit})
    union all
    select e.* from ${texts([...emails, ...phones])} as a (address) cross join lateral (
      select ${verification} from verify.verifications as v
      where v.org_id = ${org_id} and v.recipient = a.address and not v.sandbox and ${isOlder(before, ['v', 'id'])}
      order by v.id desc limit ${limit}) as e`,
}

/** Returns entries of the kinds, newest first. IDs are ordered by time, so one ID is the position in all tables. */
export async function listEntries(
  db: Db,
  person: PersonKeys,
  { kinds = Kind.options, ...part }: Part & { kinds?: readonly Kind[] | undefined },
): Promise<readonly Entry[]> {
  const parts = kinds.map((kind) => sql.fragment`(${queries[kind](person, part)})`)
  return await db.any(sql.type(Entry)`
    select distinct on (id) id, kind, at, direction, status, address, about, left(title, ${titleLength}) as title
    from (${sql.join(parts, sql.fragment` union all `)}) as e
    order by id desc limit ${part.limit}`)
}
