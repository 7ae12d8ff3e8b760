import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { type Db, sql } from '../db.ts'

/**
 * Cancels a scheduled message, or the remaining deliveries of a message to many. Returns false if nothing can be
 * cancelled.
 */
export async function cancel(tx: Db, orgId: string, id: string): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update push.messages set status = 'cancelled', ended_at = now()
    where id = ${id} and org_id = ${orgId}
      and (status = 'scheduled' or (target <> 'user' and status in ('queued', 'sending')))`)
  return rowCount === 1
}

/**
 * Ends up to `limit` deliveries of a cancelled message that are not being sent. Returns the number of ended deliveries.
 */
export async function cancelDeliveriesOfMessage(tx: Db, messageId: string, limit: number): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update push.deliveries set status = 'cancelled', reason = 'cancelled' where id = any(array(
      select id from push.deliveries
      where message_id = ${messageId} and status = 'queued' and leased_by is null limit ${limit} for update skip locked))`)
  return rowCount
}

/**
 * Ends pending deliveries of messages to many to these devices, except deliveries that are being sent. Returns the
 * messages.
 */
export async function cancelDeliveriesToDevices(
  tx: Db,
  { org_id, app_id }: { org_id: string; app_id: string },
  installationIds: readonly string[],
): Promise<readonly string[]> {
  return await tx.anyFirst(sql.type(z.object({ message_id: Id }))`
    update push.deliveries set status = 'cancelled', reason = 'user_removed' where id = any(array(
      select d.id from push.messages as m cross join lateral (
        select id from push.deliveries
        where message_id = m.id and installation_id = any(${sql.array([...installationIds], 'uuid')})
          and status = 'queued' and leased_by is null
        for update skip locked) as d
      where m.org_id = ${org_id} and m.app_id = ${app_id} and m.target <> 'user' and m.ended_at is null))
    returning message_id`)
}

interface Person {
  org_id: string
  app_id: string
  user_id: string
}

const to = ({ org_id, app_id, user_id }: Person, before: string) => sql.fragment`
  m.org_id = ${org_id} and m.app_id = ${app_id} and m.user_id = ${user_id} and m.id < ${before}`

/** Ends open messages to one user that were created before an ID. */
export async function cancelMessagesToUser(tx: Db, person: Person, before: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update push.messages as m set status = 'cancelled', ended_at = now() where ${to(person, before)} and m.ended_at is null`)
}

/**
 * Ends up to `limit` pending deliveries of messages to one user that are not being sent. Returns the number of ended
 * deliveries.
 */
export async function cancelDeliveriesToUser(tx: Db, person: Person, before: string, limit: number): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update push.deliveries set status = 'cancelled', reason = 'user_removed' where id = any(array(
      select d.id from push.messages as m join push.deliveries as d on d.message_id = m.id and d.status = 'queued'
      where ${to(person, before)} and d.leased_by is null limit ${limit} for update of d skip locked))`)
  return rowCount
}

/**
 * Deletes up to `limit` messages to one user with their deliveries. Returns the number of deleted messages. Messages
 * with a delivery in progress are not deleted yet, because recording a result locks the delivery before the message.
 */
export async function removeMessagesToUser(tx: Db, person: Person, before: string, limit: number): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    delete from push.messages where id = any(array(
      select m.id from push.messages as m
      where ${to(person, before)} and not exists (
        select from push.deliveries as d where d.message_id = m.id and d.status = 'queued')
      order by m.id limit ${limit} for update of m))`)
  return rowCount
}

/** True if messages to one user are left. */
export async function hasMessagesToUser(tx: Db, person: Person, before: string): Promise<boolean> {
  return await tx.exists(
    sql.type(z.object({ id: Id }))`select m.id from push.messages as m where ${to(person, before)}`,
  )
}
