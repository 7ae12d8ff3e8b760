import { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { type Installation, table } from './installations.ts'
import { type User, table as users } from './users.ts'

const columns = table.columns()

/** Returns a browser’s installation. `null` if it was deleted, belongs to another app, or is not a browser. */
export async function find(db: Db, appId: string, id: string): Promise<Installation | null> {
  return await db.maybeOne(sql.type(table.Row)`
    select ${columns} from push.installations where id = ${id} and app_id = ${appId} and provider = 'webpush'`)
}

/** Returns the browsers with an endpoint or an ID, locked until the transaction ends. */
export async function lock(
  tx: Db,
  appId: string,
  { endpoint, id }: { endpoint: string; id: string | undefined },
): Promise<{ own: Installation | undefined; there: Installation | undefined }> {
  const found = await tx.any(sql.type(table.Row)`
    select ${columns} from push.installations
    where app_id = ${appId} and provider = 'webpush' and (token = ${endpoint} or id = ${id ?? null}::uuid)
    order by id for update`)
  return { own: found.find((one) => one.id === id), there: found.find(({ token }) => token === endpoint) }
}

/** Returns a user of an app, locked against deletion until the transaction ends. */
export async function lockUser(tx: Db, appId: string, id: string): Promise<User | null> {
  return await tx.maybeOne(sql.type(users.Row)`
    select ${users.columns()} from push.users where id = ${id} and app_id = ${appId} for key share`)
}

/** True if a user has at least this number of browsers. */
export async function hasAtLeast(tx: Db, pushUserId: string, most: number): Promise<boolean> {
  return await tx.oneFirst(sql.type(z.object({ many: z.boolean() }))`
    select count(*) >= ${most} as many from (
      select from push.installations where push_user_id = ${pushUserId} and status = 'active' and provider = 'webpush'
      limit ${most}) as theirs`)
}
