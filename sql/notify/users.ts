import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** The people that events are for, and how far the changes of their inboxes are numbered. */
export const table = defineTable(
  'notify',
  'users',
  z.object({ org_id: Id, user_id: Id, last_number: z.number(), forgotten: z.number() }),
)

/** A person of an organisation; ids in lower case. */
export type Person = Pick<z.infer<typeof table.Row>, 'org_id' | 'user_id'>

/** The channel on which changed inboxes are named, by `<organisation> <user>`. */
export const inboxChannel = 'notify_inbox'

/** What names a person among those of all organisations. */
export const nameOf = ({ org_id, user_id }: Person): string => `${org_id} ${user_id}`

/** Where the changes of an inbox stand; one that never had any stands at 0. */
export async function position(db: Db, { org_id, user_id }: Person): Promise<{ last: number; forgotten: number }> {
  const row = await db.maybeOne(sql.type(table.Row.pick({ last_number: true, forgotten: true }))`
    select last_number, forgotten from notify.users where org_id = ${org_id} and user_id = ${user_id}`)
  return { last: row?.last_number ?? 0, forgotten: row?.forgotten ?? 0 }
}

/**
 * Gives `count` new numbers to each of different persons; returns the last of each, by name. Their rows stay locked until the
 * transaction ends, so that no number is seen before a smaller one.
 */
export async function advance(
  tx: Db,
  wanted: readonly (Person & { count: number })[],
): Promise<ReadonlyMap<string, number>> {
  if (wanted.length === 0) return new Map()
  const rows = await tx.any(sql.type(table.Row.omit({ forgotten: true }))`
    insert into notify.users as u (org_id, user_id, last_number)
    select w.org_id, w.user_id, w.count
    from ${sql.unnest(
      wanted.map(({ org_id, user_id, count }) => [org_id, user_id, count]),
      ['uuid', 'uuid', 'int8'],
    )} as w (org_id, user_id, count)
    order by w.org_id, w.user_id
    on conflict (org_id, user_id) do update set last_number = u.last_number + excluded.last_number
    returning org_id, user_id, last_number`)
  return new Map(rows.map((row) => [nameOf(row), row.last_number]))
}

/** Locks a person's row until the transaction ends; false when the person never had an event. */
export async function lock(tx: Db, { org_id, user_id }: Person): Promise<boolean> {
  const found = await tx.maybeOne(sql.type(table.Row.pick({ user_id: true }))`
    select user_id from notify.users where org_id = ${org_id} and user_id = ${user_id} for update`)
  return found !== null
}

/** Notifies the streams of persons, once the transaction commits. */
export async function announce(tx: Db, persons: readonly Person[]): Promise<void> {
  const names = [...new Set(persons.map(nameOf))]
  if (names.length === 0) return
  await tx.query(sql.type(z.object({ pg_notify: z.unknown() }))`
    select pg_notify(${inboxChannel}, name) from ${sql.unnest(
      names.map((name) => [name]),
      ['text'],
    )} as n (name)`)
}
