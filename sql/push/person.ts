import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'
import type { PersonKeys } from '../people/keys.ts'
import { deleted, deleteRows, type Erased, type PersonTable } from '../people/person-table.ts'
import * as cancellations from './cancellations.ts'
import * as messages from './messages.ts'
import * as users from './users.ts'

const ofUsers = ({ org_id, push_ids }: PersonKeys) => sql.fragment`
  old.push_user_id in (${users.ofPerson(org_id, push_ids)})`

/** Deletes devices and ends their pending deliveries of messages to many. */
async function deleteInstallations(tx: Db, person: PersonKeys, limit: number): Promise<Erased> {
  const Device = z.object({ id: Id, app_id: Id })
  const gone = await tx.any(sql.type(Device)`
    delete from push.installations where id = any(array(
      select old.id from push.installations as old where ${ofUsers(person)} order by old.id limit ${limit} for update))
    returning id, app_id`)
  for (const [app_id, devices] of Map.groupBy(gone, (device) => device.app_id)) {
    const ids = devices.map(({ id }) => id)
    const ended = await cancellations.cancelDeliveriesToDevices(tx, { org_id: person.org_id, app_id }, ids)
    await messages.endMany(tx, [...new Set(ended)])
  }
  return { rows: gone.length, devices: gone.map(({ id }) => id) }
}

/** Ends waiting messages to the person, then deletes them. Messages that are being sent are deleted later. */
async function deleteMessages(tx: Db, { org_id, push_ids }: PersonKeys, limit: number): Promise<Erased> {
  const apps = await tx.any(sql.type(z.object({ app_id: Id, user_id: z.string() }))`
    select distinct m.app_id, m.user_id from json_to_recordset(${JSON.stringify(push_ids)}::json) as w (app_id uuid, user_id text)
    join push.messages as m on m.org_id = ${org_id} and m.user_id = w.user_id and (w.app_id is null or m.app_id = w.app_id)`)
  const before = newId()
  let rows = 0
  let isInUse = false
  for (const { app_id, user_id } of apps) {
    const one = { org_id, app_id, user_id }
    await cancellations.cancelMessagesToUser(tx, one, before)
    await cancellations.cancelDeliveriesToUser(tx, one, before, limit)
    const removed = await cancellations.removeMessagesToUser(tx, one, before, limit - rows)
    rows += removed
    if (rows >= limit) return { rows }
    isInUse ||= await cancellations.hasMessagesToUser(tx, one, before)
  }
  return { rows, isInUse }
}

/** Removes the person from the recipients of messages to several users. */
async function removeFromAudiences(tx: Db, { org_id, user_id }: PersonKeys, limit: number): Promise<Erased> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update push.messages set audience = jsonb_set(audience, '{users}', (audience -> 'users') - ${user_id}::text)
    where id = any(array(
      select old.id from push.messages as old
      where old.org_id = ${org_id} and old.target = 'users' and old.audience -> 'users' @> ${sql.jsonb([user_id])}
      order by old.id limit ${limit} for update))`)
  return { rows: rowCount }
}

/** Tables of push with rows of people. */
export const personTables: readonly PersonTable[] = [
  deleted('push', 'subscriptions', ofUsers),
  { name: 'push.installations', action: 'deleted', erase: deleteInstallations },
  {
    name: 'push.users',
    action: 'deleted',
    erase: (tx, { org_id, push_ids }, limit) =>
      deleteRows(tx, ['push', 'users'], sql.fragment`old.id in (${users.ofPerson(org_id, push_ids)})`, limit),
  },
  { name: 'push.messages', action: 'deleted', with: ['push.deliveries', 'push.attempts'], erase: deleteMessages },
  {
    name: 'push.messages',
    action: 'anonymised',
    why: 'Messages to several users stay for the other users, without the ID of this person.',
    erase: removeFromAudiences,
  },
]
