import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'
import type { Person as PersonKey } from './users.ts'

export const table = defineTable(
  'notify',
  'people',
  z.object({
    id: Id,
    org_id: Id,
    user_id: Id,
    subject: z.string(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    phone: z.string().nullable(),
    push_app_id: Id.nullable(),
    push_user_id: z.string().nullable(),
    locale: z.string().nullable(),
    time_zone: z.string().nullable(),
    data: z.record(z.string(), z.string()),
    connection_ids: z.array(Id),
    created_at: z.date(),
    updated_at: z.date(),
  }),
)

export const Person = table.Row

export type Person = z.infer<typeof Person>

export type PersonFacts = Omit<Person, 'id' | 'created_at' | 'updated_at'>

/** Stores different people of one organisation and replaces all their values. Returns the people in any order. */
export async function putMany(tx: Db, people: readonly PersonFacts[]): Promise<readonly Person[]> {
  if (people.length === 0) return []
  // In a fixed order, so that batches with the same people cannot deadlock.
  const rows = people.map((person) => ({ id: newId(), ...person })).sort((a, b) => (a.user_id < b.user_id ? -1 : 1))
  return await tx.any(sql.type(Person)`
    ${table.insertMany(rows)}
    on conflict (org_id, user_id) do update set subject = excluded.subject, name = excluded.name, email = excluded.email,
      phone = excluded.phone, push_app_id = excluded.push_app_id, push_user_id = excluded.push_user_id, locale = excluded.locale,
      time_zone = excluded.time_zone, data = excluded.data,
      connection_ids = excluded.connection_ids, updated_at = now()
    returning ${table.columns()}`)
}

export async function find(db: Db, { org_id, user_id }: PersonKey): Promise<Person | null> {
  return await db.maybeOne(sql.type(Person)`
    select ${table.columns()} from notify.people where org_id = ${org_id} and user_id = ${user_id}`)
}

/** Returns the people who are in the directory, in any order. */
export async function findMany(db: Db, wanted: readonly PersonKey[]): Promise<readonly Person[]> {
  if (wanted.length === 0) return []
  return await db.any(sql.type(Person)`
    select distinct on (p.id) ${table.columns('p')} from notify.people as p
    join ${sql.unnest(
      wanted.map(({ org_id, user_id }) => [org_id, user_id]),
      ['uuid', 'uuid'],
    )} as w (org_id, user_id) on p.org_id = w.org_id and p.user_id = w.user_id`)
}

/** Returns the person with this email address. Null if there is none or several. */
export async function findByEmail(db: Db, orgId: string, email: string): Promise<Person | null> {
  const found = await db.any(sql.type(Person)`
    select ${table.columns()} from notify.people where org_id = ${orgId} and email = ${email} limit 2`)
  return found.length === 1 ? (found[0] ?? null) : null
}

export async function remove(db: Db, { org_id, user_id }: PersonKey): Promise<boolean> {
  const { rowCount } = await db.query(sql.typeAlias('void')`
    delete from notify.people where org_id = ${org_id} and user_id = ${user_id}`)
  return rowCount > 0
}

export const filters = { email: table.equals('email') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Person[]> {
  return await db.any(sql.type(Person)`
    select ${table.columns()} from notify.people where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}
