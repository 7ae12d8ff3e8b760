import { forbidden } from '#lib/errors.ts'
import type { Caller } from '#sql/account/keys.ts'
import type { Db } from '#sql/db.ts'
import * as apps from '#sql/push/apps.ts'
import { mustFind } from '../../http/must-find.ts'

/** Throws 403 if the key is restricted to a different app. */
export function requireAppAccess({ key }: Pick<Caller, 'key'>, appId: string): void {
  const lock = key.locks.app_id
  if (lock !== undefined && lock !== appId) throw forbidden('This API key is restricted to a different app.')
}

/** Throws 403 if the key is restricted to one app. For resources that belong to all apps. */
export function requireAllAppsAccess({ key }: Pick<Caller, 'key'>): void {
  if (key.locks.app_id !== undefined) throw forbidden('This API key is restricted to one app.')
}

/**
 * Returns the app of a request. Throws 403 if the key is restricted to a different app, and 404 if the organisation
 * does not have the app.
 */
export async function findOwnApp(db: Db, { org, key }: Pick<Caller, 'org' | 'key'>, appId: string): Promise<apps.App> {
  requireAppAccess({ key }, appId)
  return await mustFind(apps.find(db, org.id, appId), 'app')
}
