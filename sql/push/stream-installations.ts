import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { advisoryLockSpaces } from '../advisory-locks.ts'
import { type Db, sql } from '../db.ts'
import { type Installation, table } from './installations.ts'

const mostOfPerson = 20

/** Returns an installation by the customer’s device ID. Other registrations of this device wait until the commit. */
export async function lockDevice(tx: Db, appId: string, deviceId: string): Promise<Installation | null> {
  await tx.query(sql.type(z.object({ locked: z.unknown() }))`
    select pg_advisory_xact_lock(${advisoryLockSpaces.device}, hashtext(${appId} || 'device' || ${deviceId})) as locked`)
  return await tx.maybeOne(sql.type(table.Row)`
    select ${table.columns()} from push.installations where app_id = ${appId} and device_id = ${deviceId}`)
}

/** Deletes the user’s least recently used streams above the maximum. Returns the deleted streams. */
export async function dropOldest(tx: Db, { id, push_user_id }: Pick<Installation, 'id' | 'push_user_id'>) {
  return await tx.anyFirst(sql.type(z.object({ id: Id }))`
    delete from push.installations where id in (
      select id from push.installations
      where push_user_id = ${push_user_id} and provider = 'sse' and id <> ${id}
      order by used_at desc, id desc offset ${mostOfPerson - 1} for update skip locked)
    returning id`)
}

/** Records when streams were opened, rounded to the hour. */
export async function touch(db: Db, ids: readonly string[]): Promise<void> {
  await db.query(sql.typeAlias('void')`
    update push.installations set used_at = now()
    where id = any(${sql.array([...ids], 'uuid')}) and used_at < now() - interval '1 hour'`)
}
