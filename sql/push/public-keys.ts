import { Key, managed } from '../account/keys.ts'
import { type Db, sql } from '../db.ts'
import type { Part } from '../filters.ts'
import { getColumns } from '../table.ts'

const columns = getColumns(Key)

const ofApp = (orgId: string, appId: string) => sql.fragment`
  org_id = ${orgId} and revoked_at is null and prefix = 'bt_site_' and locks->>'app_id' = ${appId} and ${managed}`

export async function list(db: Db, orgId: string, appId: string, { before, limit }: Part): Promise<readonly Key[]> {
  return await db.any(sql.type(Key)`
    select ${columns} from account.keys
    where ${ofApp(orgId, appId)} and (${before ?? null}::uuid is null or id < ${before ?? null})
    order by id desc limit ${limit}`)
}

export async function lock(tx: Db, orgId: string, appId: string, id: string): Promise<Key | null> {
  return await tx.maybeOne(sql.type(Key)`
    select ${columns} from account.keys where ${ofApp(orgId, appId)} and id = ${id} for no key update`)
}

/** Changes the origins of a public key. Every process applies the change within seconds. */
export async function setOrigins(tx: Db, id: string, origins: readonly string[]): Promise<Key> {
  return await tx.one(sql.type(Key)`
    update account.keys set locks = locks || ${sql.jsonb({ origins: [...origins] })} where id = ${id} returning ${columns}`)
}
