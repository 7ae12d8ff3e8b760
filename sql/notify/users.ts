import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import { defineTable } from '../table.ts'

/** Recipients of events, and the number of the last change of their inboxes. */
export const table = defineTable(
  'notify',
  'users',
  z.object({ org_id: Id, user_id: Id, last_number: z.number(), forgotten: z.number() }),
)

export type Person = Pick<z.infer<typeof table.Row>, 'org_id' | 'user_id'>

/** Postgres channel for changed inboxes. The payload is `<organisation> <user>`. */
export const inboxChannel = 'notify_inbox'

/** Returns the name of a person, which is unique across organisations. */
export const getPersonName = ({ org_id, user_id }: Person): string => `${org_id} ${user_id}`

/** Returns the number of the last change of an inbox. 0 if the inbox never changed. */
export async function getPosition(db: Db, { org_id, user_id }: Person): Promise<{ last: number; forgotten: number }> {
  const row = await db.maybeOne(sql.type(table.Row.pick({ last_number: true, forgotten: true }))`
    select last_number, forgotten from notify.users where org_id = ${org_id} and user_id = ${user_id}`)
  return { last: row?.last_number ?? 0, forgotten: row?.forgotten ?? 0 }
}

/**
 * Reserves `count` new numbers for each person. Returns the last number of each person, by name. The rows stay locked
 * until the transaction ends, so that no number is visible before a lower number.
 */
export async function reserveNumbers(
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
  return new Map(rows.map((row) => [getPersonName(row), row.last_number]))
}

/** Locks a person’s row until the transaction ends. Returns false if the person never had an event. */
export async function lock(tx: Db, { org_id, user_id }: Person): Promise<boolean> {
  const found = await tx.maybeOne(sql.type(table.Row.pick({ user_id: true }))`
    select user_id from notify.users where org_id = ${org_id} and user_id = ${user_id} for update`)
  return found !== null
}

/** Notifies the streams of these people when the transaction commits. */
export async function notifyInboxes(tx: Db, persons: readonly Person[]): Promise<void> {
  const names = [...new Set(persons.map(getPersonName))]
  if (names.length === 0) return
  await tx.query(sql.type(z.object({ pg_notify: z.unknown() }))`
    select pg_notify(${inboxChannel}, name) from ${sql.unnest(
      names.map((name) => [name]),
      ['text'],
    )} as n (name)`)
}
