import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { type Db, sql } from '../db.ts'

export interface PersonFilter {
  user_id?: string | undefined
  email?: string | undefined
  phone?: string | undefined
}

const Found = z.object({
  user_id: z.string(),
  name: z.string().nullable(),
  emails: z.array(z.string()),
  phones: z.array(z.string()),
  areas: z.array(z.enum(['notify', 'email', 'push', 'whatsapp', 'bots'])),
})

export type FoundPerson = z.infer<typeof Found>

/** Tables that name people, with their columns. Each has an index by organisation and ID of the person. */
const sources = {
  notify: sql.fragment`select subject as user_id, email, phone from notify.people`,
  email: sql.fragment`select user_id, email, null::text as phone from email.contacts`,
  push: sql.fragment`select user_id, null::text as email, null::text as phone from push.users`,
  whatsapp: sql.fragment`select user_id, null::text as email, phone from whatsapp.recipients`,
  bots: sql.fragment`select user_id, null::text as email, null::text as phone from bots.conversations`,
} as const

type Source = keyof typeof sources

const idColumn = (name: Source) => sql.identifier([name === 'notify' ? 'subject' : 'user_id'])

/** Areas that can be searched by each value. */
const searched: Readonly<Record<'email' | 'phone', readonly Source[]>> = {
  email: ['notify', 'email'],
  phone: ['notify', 'whatsapp'],
}

/** Returns people in the order of their IDs, after `after`. Each source reads one page of its index. */
export async function search(
  db: Db,
  orgId: string,
  { user_id, email, phone }: PersonFilter,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<readonly FoundPerson[]> {
  const names = (Object.keys(sources) as Source[]).filter(
    (name) =>
      (email === undefined || searched.email.includes(name)) && (phone === undefined || searched.phone.includes(name)),
  )
  if (names.length === 0) return []
  const parts = names.map((name) => {
    const column = idColumn(name)
    const conditions: FragmentSqlToken[] = [
      sql.fragment`org_id = ${orgId} and ${column} is not null`,
      ...(user_id === undefined ? [] : [sql.fragment`${column} = ${user_id}`]),
      ...(email === undefined ? [] : [sql.fragment`email = ${email}`]),
      ...(phone === undefined ? [] : [sql.fragment`phone = ${phone}`]),
      ...(after === undefined ? [] : [sql.fragment`${column} > ${after}`]),
    ]
    return sql.fragment`(select distinct user_id from (${sources[name]} where ${sql.join(conditions, sql.fragment` and `)}) as s
      order by user_id limit ${limit})`
  })
  const ids = await db.anyFirst(sql.type(z.object({ user_id: z.string() }))`
    select distinct user_id from (${sql.join(parts, sql.fragment` union all `)}) as f order by user_id limit ${limit}`)
  return await describe(db, orgId, ids)
}

/** Maximum number of addresses of one person in a list. */
const mostAddresses = 10

async function describe(db: Db, orgId: string, ids: readonly string[]): Promise<readonly FoundPerson[]> {
  if (ids.length === 0) return []
  const exists = (name: Source) => sql.fragment`
    exists (select from ${sql.identifier([...tables[name]])} where org_id = ${orgId} and ${idColumn(name)} = w.user_id)`
  return await db.any(sql.type(Found)`
    select w.user_id, p.name,
      array(select distinct e.email from (
        select p.email union all
        (select c.email from email.contacts as c where c.org_id = ${orgId} and c.user_id = w.user_id limit ${mostAddresses})
      ) as e where e.email is not null order by 1) as emails,
      array(select distinct e.phone from (
        select p.phone union all
        (select r.phone from whatsapp.recipients as r where r.org_id = ${orgId} and r.user_id = w.user_id limit ${mostAddresses})
      ) as e where e.phone is not null order by 1) as phones,
      array_remove(array[${sql.join(
        (Object.keys(sources) as Source[]).map((name) => sql.fragment`case when ${exists(name)} then ${name} end`),
        sql.fragment`, `,
      )}], null) as areas
    from unnest(${sql.array([...ids], 'text')}) as w (user_id)
    left join lateral (
      select name, email, phone from notify.people where org_id = ${orgId} and subject = w.user_id limit 1) as p on true
    order by w.user_id`)
}

const tables: Readonly<Record<Source, readonly [string, string]>> = {
  notify: ['notify', 'people'],
  email: ['email', 'contacts'],
  push: ['push', 'users'],
  whatsapp: ['whatsapp', 'recipients'],
  bots: ['bots', 'conversations'],
}
