import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { notClosing } from '../account/closures.ts'
import { type Db, sql } from '../db.ts'
import { Message, table as messages } from './messages.ts'

const Ids = z.object({ id: Id })

/**
 * Sets up to `limit` due messages to `queued`. Skips rows that other transactions have locked. Messages of a closing
 * organisation wait.
 */
export async function release(tx: Db, orgId: string, limit: number): Promise<readonly Message[]> {
  return await tx.any(sql.type(Message)`
    with due as materialized (
      select m.id from email.messages as m
      where m.org_id = ${orgId} and m.status = 'scheduled' and m.send_at <= now() and ${notClosing('m')}
      order by m.send_at, m.id limit ${limit} for update of m skip locked)
    update email.messages as m set status = 'queued' from due where m.id = due.id returning ${messages.columns('m')}`)
}

/** Returns up to `limit` organisations with messages that are `forMs` milliseconds late. */
export async function listLate(db: Db, forMs: number, limit: number): Promise<readonly string[]> {
  return await db.anyFirst(sql.type(z.object({ org_id: Id }))`
    select distinct org_id from (
      select m.org_id from email.messages as m
      where m.status = 'scheduled' and m.send_at < now() - ${forMs} * interval '1 millisecond' and ${notClosing('m')}
      order by m.send_at limit ${limit}) as waiting`)
}

/**
 * Cancels a message and its copies if they are scheduled or no worker has taken them. Returns their IDs, locked until
 * the transaction ends. This function first takes the lock under which messages are released. It does not wait for the
 * lock of a delivery, under which messages are claimed. A message that is being claimed is sent.
 */
export async function cancelUnsent(tx: Db, orgId: string, id: string): Promise<readonly string[]> {
  const group = sql.fragment`m.org_id = ${orgId} and (m.id = ${id} or m.copy_of = ${id})`
  const waiting = await tx.anyFirst(sql.type(Ids)`
    select m.id from email.messages as m where ${group} and m.status = 'scheduled' order by m.id for update`)
  const unclaimed = await tx.anyFirst(sql.type(Ids)`
    delete from email.deliveries where message_id = any(array(
      select d.message_id from email.deliveries as d join email.messages as m on m.id = d.message_id
      where ${group} and d.leased_by is null order by d.message_id for update of d skip locked))
    returning message_id as id`)
  return [...waiting, ...unclaimed]
}
