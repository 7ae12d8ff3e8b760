import { forbidden } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as apps from '#sql/push/apps.ts'
import { mustFind } from '../http/must-find.ts'

/** Throws 403 for a key that is bound to another app. */
export function demandApp({ key }: Pick<Caller, 'key'>, appId: string): void {
  const lock = key.locks.app_id
  if (lock !== undefined && lock !== appId) throw forbidden('This API key is restricted to another app.')
}

/** Throws 403 for a key that is bound to one app: what it asks for belongs to all of them. */
export function demandAllApps({ key }: Pick<Caller, 'key'>): void {
  if (key.locks.app_id !== undefined) throw forbidden('This API key is restricted to one app.')
}

/** The app that a request is about; throws 403 for a key of another one and 404 when the organisation has none. */
export async function ownApp(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, appId: string): Promise<apps.App> {
  demandApp({ key }, appId)
  return await mustFind(apps.find(db, org.id, appId), 'app')
}
