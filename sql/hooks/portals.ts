import type { z } from 'zod'
import { type Db, sql } from '../db.ts'
import { getColumns } from '../table.ts'
import { table } from './apps.ts'

const Portal = table.Row.pick({ id: true, org_id: true, uid: true, name: true, portal_version: true })

/** An app, with the version of its portal tokens. */
export type Portal = z.infer<typeof Portal>

const columns = getColumns(Portal)

/** Returns null if the app does not exist. */
export async function find(db: Db, orgId: string, appId: string): Promise<Portal | null> {
  return await db.maybeOne(sql.type(Portal)`
    select ${columns} from hooks.apps where org_id = ${orgId} and id = ${appId} and deleted_at is null`)
}

/** Revokes all portal tokens of an app. */
export async function revoke(tx: Db, orgId: string, appId: string): Promise<void> {
  await tx.query(sql.typeAlias('void')`
    update hooks.apps set portal_version = portal_version + 1 where org_id = ${orgId} and id = ${appId}`)
}
