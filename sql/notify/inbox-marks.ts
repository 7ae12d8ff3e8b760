import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { type InboxSelection, table } from './inbox.ts'
import type { Person } from './users.ts'

/** Marks of items different from `read`. */
export const Mark = z.enum(['seen', 'unread', 'archived', 'unarchived'])

export type Mark = z.infer<typeof Mark>

const marks = {
  seen: { set: sql.fragment`seen_at = now()`, where: sql.fragment`i.seen_at is null` },
  unread: { set: sql.fragment`read_at = null, read_number = null`, where: sql.fragment`i.read_at is not null` },
  archived: { set: sql.fragment`archived_at = now()`, where: sql.fragment`i.archived_at is null` },
  unarchived: { set: sql.fragment`archived_at = null`, where: sql.fragment`i.archived_at is not null` },
}

/** Marks items, as the change with this number. Returns how many items changed. The person’s row must be locked. */
export async function markAs(tx: Db, { org_id, user_id }: Person, what: InboxSelection, mark: Mark): Promise<number> {
  const { set, where } = marks[mark]
  const part =
    'ids' in what
      ? sql.fragment`and i.id = any(${sql.array([...what.ids], 'uuid')})`
      : what.productKey === undefined
        ? sql.fragment``
        : sql.fragment`and i.product_key = ${what.productKey}`
  return await tx.oneFirst(sql.typeAlias('count')`
    with marked as (
      update notify.inbox as i set ${set}, mark_number = u.last_number + 1
      from notify.users as u
      where u.org_id = i.org_id and u.user_id = i.user_id and i.org_id = ${org_id} and i.user_id = ${user_id} ${part} and ${where}
      returning i.id),
    numbered as (
      update notify.users as u set last_number = last_number + 1
      where u.org_id = ${org_id} and u.user_id = ${user_id} and exists (select from marked))
    select count(*) from marked`)
}

const MarkedItem = table.Row.pick({
  id: true,
  product_key: true,
  read_at: true,
  seen_at: true,
  archived_at: true,
}).extend({ mark_number: z.number() })

export type MarkedItem = z.infer<typeof MarkedItem>

export async function listMarked(
  db: Db,
  { org_id, user_id }: Person,
  { after, upTo }: { after: number; upTo: number },
  limit: number,
): Promise<readonly MarkedItem[]> {
  return await db.any(sql.type(MarkedItem)`
    select ${getColumns(MarkedItem, 'i')} from notify.inbox as i
    where i.org_id = ${org_id} and i.user_id = ${user_id} and i.mark_number > ${after} and i.mark_number <= ${upTo}
    order by i.mark_number desc, i.id limit ${limit}`)
}

const Standing = table.Row.pick({ id: true, read_at: true, seen_at: true, archived_at: true })

/** Returns the current state of items, in any order. Omits items that are in no inbox. */
export async function findStates(db: Db, ids: readonly string[]): Promise<readonly z.infer<typeof Standing>[]> {
  return await db.any(sql.type(Standing)`
    select ${getColumns(Standing)} from notify.inbox where id = any(${sql.array([...ids], 'uuid')})`)
}
