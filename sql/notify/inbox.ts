import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'
import { Event } from './events.ts'
import type { Person } from './users.ts'

/** Events as they stand in inboxes. */
export const table = defineTable(
  'notify',
  'inbox',
  z.object({
    id: Id,
    org_id: Id,
    user_id: Id,
    product_key: z.string(),
    number: z.number(),
    read_number: z.number().nullable(),
    read_at: z.date().nullable(),
  }),
)

/** An event in an inbox, with what it says. */
export const Item = table.Row.extend(
  Event.pick({ type: true, title: true, body: true, data: true, url: true, created_at: true }).shape,
)

/** The parsed row. */
export type Item = z.infer<typeof Item>

const items = sql.fragment`
  select ${table.columns('i')}, e.type, e.title, e.body, e.data, e.url, e.created_at
  from notify.inbox as i join notify.events as e on e.id = i.id`

const ofPerson = ({ org_id, user_id }: Person) => sql.fragment`i.org_id = ${org_id} and i.user_id = ${user_id}`

const ofProduct = (productKey: string | undefined) =>
  productKey === undefined ? sql.fragment`` : sql.fragment`and i.product_key = ${productKey}`

/** Puts events into inboxes. */
export async function insertMany(
  tx: Db,
  rows: readonly Omit<z.infer<typeof table.Row>, 'read_number' | 'read_at'>[],
): Promise<void> {
  if (rows.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(rows)}`)
}

/** Which part of an inbox is asked for. */
interface Part {
  productKey: string | undefined
  unread?: boolean | undefined
}

/** An inbox, newest first, after the item with id `before`. */
export async function list(
  db: Db,
  person: Person,
  { productKey, unread, before, limit }: Part & { before: string | undefined; limit: number },
): Promise<readonly Item[]> {
  const older = before ? sql.fragment`and i.id < ${before}` : sql.fragment``
  const read = unread === undefined ? sql.fragment`` : unread ? isUnread : sql.fragment`and i.read_at is not null`
  return await db.any(sql.type(Item)`
    ${items} where ${ofPerson(person)} ${ofProduct(productKey)} ${read} ${older} order by i.id desc limit ${limit}`)
}

const isUnread = sql.fragment`and i.read_at is null`

export async function find(db: Db, person: Person, id: string): Promise<Item | null> {
  return await db.maybeOne(sql.type(Item)`${items} where ${ofPerson(person)} and i.id = ${id}`)
}

/** Items that are not read, by their product. */
export async function countUnread(db: Db, person: Person): Promise<ReadonlyMap<string, number>> {
  const rows = await db.any(sql.type(z.object({ product_key: z.string(), count: z.number() }))`
    select i.product_key, count(*) from notify.inbox as i where ${ofPerson(person)} ${isUnread} group by i.product_key`)
  return new Map(rows.map(({ product_key, count }) => [product_key, count]))
}

/** The part of an inbox that is to be marked. */
export type InboxSelection = { id: string } | { productKey: string | undefined }

/** Marks what is unread as read, as the change of a number; returns how many items that were. The person's row must be locked. */
export async function markRead(tx: Db, person: Person, what: InboxSelection): Promise<number> {
  const part = 'id' in what ? sql.fragment`and i.id = ${what.id}` : ofProduct(what.productKey)
  return await tx.oneFirst(sql.typeAlias('count')`
    with marked as (
      update notify.inbox as i set read_at = now(), read_number = u.last_number + 1
      from notify.users as u
      where u.org_id = i.org_id and u.user_id = i.user_id and ${ofPerson(person)} ${part} ${isUnread}
      returning i.id),
    numbered as (
      update notify.users as i set last_number = last_number + 1 where ${ofPerson(person)} and exists (select from marked))
    select count(*) from marked`)
}

/** Items that came after a change, up to another, the latest first. */
export async function listNew(
  db: Db,
  person: Person,
  { after, upTo }: { after: number; upTo: number },
  limit: number,
): Promise<readonly Item[]> {
  return await db.any(sql.type(Item)`
    ${items} where ${ofPerson(person)} and i.number > ${after} and i.number <= ${upTo} order by i.number desc limit ${limit}`)
}

const ReadItem = table.Row.pick({ id: true, product_key: true }).extend({ read_number: z.number(), read_at: z.date() })

/** An item that was read. */
export type ReadItem = z.infer<typeof ReadItem>

/** What was read after a change, up to another, the latest first. */
export async function listRead(
  db: Db,
  person: Person,
  { after, upTo }: { after: number; upTo: number },
  limit: number,
): Promise<readonly ReadItem[]> {
  return await db.any(sql.type(ReadItem)`
    select i.id, i.product_key, i.read_number, i.read_at from notify.inbox as i
    where ${ofPerson(person)} and i.read_number > ${after} and i.read_number <= ${upTo}
    order by i.read_number desc, i.id limit ${limit}`)
}
