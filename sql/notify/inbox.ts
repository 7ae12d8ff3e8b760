import type { FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { isOlder, type Page } from '../filters.ts'
import { defineTable, getColumns } from '../table.ts'
import { Event } from './events.ts'
import type { Person } from './users.ts'

/** Text of an item. It replaces the text of its event. */
const Said = z.object({ title: z.string(), body: z.string().nullable(), url: z.string().nullable() })

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
    seen_at: z.date().nullable(),
    archived_at: z.date().nullable(),
    mark_number: z.number().nullable(),
    shown: Said.nullable(),
  }),
)

export const Item = table.Row.omit({ shown: true }).extend(
  Event.pick({ type: true, title: true, body: true, data: true, url: true, created_at: true }).shape,
)

export type Item = z.infer<typeof Item>

const items = sql.fragment`
  select ${getColumns(table.Row.omit({ shown: true }), 'i')}, e.type, coalesce(i.shown ->> 'title', e.title) as title,
    case when i.shown is null then e.body else i.shown ->> 'body' end as body, e.data,
    case when i.shown is null then e.url else i.shown ->> 'url' end as url, e.created_at
  from notify.inbox as i join notify.events as e on e.id = i.id`

const ofPerson = ({ org_id, user_id }: Person) => sql.fragment`i.org_id = ${org_id} and i.user_id = ${user_id}`

const ofProduct = (productKey: string | undefined) =>
  productKey === undefined ? sql.fragment`` : sql.fragment`and i.product_key = ${productKey}`

export async function insertMany(
  tx: Db,
  rows: readonly (Pick<z.infer<typeof table.Row>, 'id' | 'org_id' | 'user_id' | 'product_key' | 'number'> & {
    shown?: z.infer<typeof Said> | null
  })[],
): Promise<void> {
  if (rows.length > 0) await tx.query(sql.typeAlias('void')`${table.insertMany(rows)}`)
}

export const filters = {
  product_key: table.equals('product_key', 'i'),
  unread: (unread: boolean) => (unread ? isUnread : sql.fragment`i.read_at is not null`),
  unseen: (unseen: boolean) => (unseen ? isUnseen : sql.fragment`not (${isUnseen})`),
  archived: (archived: boolean) => (archived ? sql.fragment`i.archived_at is not null` : isInPlace),
}

export async function list(
  db: Db,
  person: Person,
  { where, before, limit }: Page<typeof filters>,
): Promise<readonly Item[]> {
  return await db.any(sql.type(Item)`
    ${items} where ${ofPerson(person)} and ${where} and ${isOlder(before, ['i', 'id'])}
    order by i.id desc limit ${limit}`)
}

const isUnread = sql.fragment`i.read_at is null`

/** Read items also count as seen. */
const isUnseen = sql.fragment`i.seen_at is null and i.read_at is null`

const isInPlace = sql.fragment`i.archived_at is null`

export async function find(db: Db, person: Person, id: string): Promise<Item | null> {
  return await db.maybeOne(sql.type(Item)`${items} where ${ofPerson(person)} and i.id = ${id}`)
}

export async function filterByProduct(
  db: Db,
  person: Person,
  productKey: string,
  ids: readonly string[],
): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(table.Row.pick({ id: true }))`
    select i.id from notify.inbox as i
    where ${ofPerson(person)} ${ofProduct(productKey)} and i.id = any(${sql.array([...ids], 'uuid')})`)
}

/** Counts items that are not read and not archived, by product. */
export const countUnread = (db: Db, person: Person): Promise<ReadonlyMap<string, number>> =>
  countBy(db, person, isUnread)

/** Counts items that are neither seen nor archived, by product. */
export const countUnseen = (db: Db, person: Person): Promise<ReadonlyMap<string, number>> =>
  countBy(db, person, isUnseen)

async function countBy(db: Db, person: Person, which: FragmentSqlToken): Promise<ReadonlyMap<string, number>> {
  const rows = await db.any(sql.type(z.object({ product_key: z.string(), count: z.number() }))`
    select i.product_key, count(*) from notify.inbox as i
    where ${ofPerson(person)} and ${which} and ${isInPlace} group by i.product_key`)
  return new Map(rows.map(({ product_key, count }) => [product_key, count]))
}

export type InboxSelection = { ids: readonly string[] } | { productKey: string | undefined }

const selected = (what: InboxSelection) =>
  'ids' in what ? sql.fragment`and i.id = any(${sql.array([...what.ids], 'uuid')})` : ofProduct(what.productKey)

/**
 * Marks unread items as read, as the change with this number. Returns how many items changed. The person’s row must be
 * locked.
 */
export async function markRead(tx: Db, person: Person, what: InboxSelection): Promise<number> {
  return await tx.oneFirst(sql.typeAlias('count')`
    with marked as (
      update notify.inbox as i
      set read_at = now(), read_number = u.last_number + 1, seen_at = coalesce(i.seen_at, now())
      from notify.users as u
      where u.org_id = i.org_id and u.user_id = i.user_id and ${ofPerson(person)} ${selected(what)} and ${isUnread}
      returning i.id),
    numbered as (
      update notify.users as i set last_number = last_number + 1 where ${ofPerson(person)} and exists (select from marked))
    select count(*) from marked`)
}

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

export type ReadItem = z.infer<typeof ReadItem>

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
