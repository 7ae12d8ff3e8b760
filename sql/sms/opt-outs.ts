import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable } from '../table.ts'

export const table = defineTable(
  'sms',
  'opt_outs',
  z.object({
    id: Id,
    org_id: Id,
    phone: z.string(),
    /** Empty for all senders of the organisation. */
    sender: z.string(),
    source: z.enum(['keyword', 'api', 'provider']),
    /** Empty after the person was erased. */
    keyword: z.string().nullable(),
    created_at: z.date(),
  }),
)

export type OptOut = z.infer<typeof table.Row>

export type NewOptOut = Pick<OptOut, 'org_id' | 'phone' | 'sender' | 'source' | 'keyword'>

/** True if the number of an opt-out belonged to an erased person: it is then a hash. */
export const isErased = ({ phone }: Pick<OptOut, 'phone'>): boolean => !phone.startsWith('+')

/** Condition for opt-outs of a number, also if the person was erased. */
const isOf = ({ org_id, phone }: Pick<OptOut, 'org_id' | 'phone'>) => sql.fragment`
  org_id = ${org_id} and phone in (${phone}, sms.phone_hash(${org_id}, ${phone}))`

/** Adds an opt-out. Returns null if it exists. */
export async function add(tx: Db, optOut: NewOptOut): Promise<OptOut | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    ${table.insert({ id: newId(), ...optOut })}
    on conflict (org_id, phone, sender) do nothing returning ${table.columns()}`)
}

export async function findByKey(
  db: Db,
  { org_id, phone, sender }: Pick<OptOut, 'org_id' | 'phone' | 'sender'>,
): Promise<OptOut | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from sms.opt_outs
    where org_id = ${org_id} and phone = ${phone} and sender = ${sender}`)
}

/** Deletes the opt-outs of a person that apply to a sender. Returns the deleted opt-outs. */
export async function lift(
  tx: Db,
  { org_id, phone, sender }: Pick<OptOut, 'org_id' | 'phone' | 'sender'>,
): Promise<readonly OptOut[]> {
  return await tx.any(sql.type(table.Row)`
    delete from sms.opt_outs where ${isOf({ org_id, phone })} and sender in ('', ${sender})
    returning ${table.columns()}`)
}

/** Deletes all opt-outs of a person. Returns the deleted opt-outs. */
export async function liftAll(tx: Db, of: Pick<OptOut, 'org_id' | 'phone'>): Promise<readonly OptOut[]> {
  return await tx.any(sql.type(table.Row)`
    delete from sms.opt_outs where ${isOf(of)} returning ${table.columns()}`)
}

/** Returns the opt-outs of numbers, newest first. */
export async function listForPhones(db: Db, orgId: string, phones: readonly string[]): Promise<readonly OptOut[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from sms.opt_outs where org_id = ${orgId} and phone = any(${sql.array([...phones], 'text')})
    order by id desc`)
}

/** Replaces numbers with their hashes. The opt-outs still apply. Returns the number of changed opt-outs. */
export async function keepHashes(tx: Db, orgId: string, phones: readonly string[]): Promise<number> {
  const theirs = sql.fragment`o.org_id = ${orgId} and o.phone = any(${sql.array([...phones], 'text')})`
  await tx.query(sql.typeAlias('void')`
    delete from sms.opt_outs as o where ${theirs} and exists (
      select from sms.opt_outs as e
      where e.org_id = o.org_id and e.phone = sms.phone_hash(o.org_id, o.phone) and e.sender = o.sender)`)
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update sms.opt_outs as o set phone = sms.phone_hash(o.org_id, o.phone), keyword = null where ${theirs}`)
  return rowCount
}

export async function remove(tx: Db, orgId: string, id: string): Promise<OptOut | null> {
  return await tx.maybeOne(sql.type(table.Row)`
    delete from sms.opt_outs where org_id = ${orgId} and id = ${id} returning ${table.columns()}`)
}

export const filters = { phone: table.equals('phone'), source: table.equals('source') }

export async function list(
  db: Db,
  orgId: string,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly OptOut[]> {
  return await db.any(sql.type(table.Row)`
    select ${table.columns()} from sms.opt_outs where org_id = ${orgId} and ${where} and ${isOlder(before)}
    order by id desc limit ${limit}`)
}

export interface Addressed {
  org_id: string
  phone: string
  sender: string | null
}

/** Returns a function that is true if a person does not want messages of this sender. */
export async function findMany(db: Db, wanted: readonly Addressed[]): Promise<(one: Addressed) => boolean> {
  if (wanted.length === 0) return () => false
  const rows = await db.any(sql.type(table.Row.pick({ org_id: true, phone: true, sender: true }))`
    select distinct o.org_id, w.phone, o.sender from sms.opt_outs as o
    join ${sql.unnest(
      wanted.map(({ org_id, phone }) => [org_id, phone]),
      ['uuid', 'text'],
    )} as w (org_id, phone) on o.org_id = w.org_id and o.phone in (w.phone, sms.phone_hash(w.org_id, w.phone))`)
  const known = new Set(rows.map(nameOf))
  return ({ org_id, phone, sender }) =>
    known.has(nameOf({ org_id, phone, sender: '' })) ||
    (sender !== null && sender !== '' && known.has(nameOf({ org_id, phone, sender })))
}

const nameOf = ({ org_id, phone, sender }: Pick<OptOut, 'org_id' | 'phone' | 'sender'>) =>
  JSON.stringify([org_id, phone, sender])
