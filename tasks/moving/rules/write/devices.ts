import type { Db } from '#sql/db.ts'
import type { Import } from '#sql/moving/imports.ts'
import type { Result, Row } from '#sql/moving/rows.ts'
import * as apps from '#sql/push/apps.ts'
import * as installations from '#sql/push/installations.ts'
import { register } from '#sql/push/registrations.ts'
import * as users from '#sql/push/users.ts'

/** A device that can be registered. */
export interface PreparedDevice {
  provider: 'webpush' | 'apns' | 'fcm'
  environment: 'production' | 'sandbox'
  token: string
  keys: { p256dh: string; auth: string } | null
  platform: string | null
  locale: string | null
  time_zone: string | null
  tags: string[]
  user_id: string | null
}

/** Registers devices. A device that the app already has is not changed, because its own registration is newer. */
export async function writeDevices(tx: Db, about: Import, rows: readonly Row[]): Promise<Result[]> {
  const { org_id, app_id } = about
  if (app_id === null || !(await apps.find(tx, org_id, app_id)))
    return rows.map(({ number }) => ({ number, outcome: 'invalid', reason: 'The app was deleted.', target_id: null }))
  const results: Result[] = []
  for (const { number, item } of rows) {
    const { user_id, time_zone, tags, ...device } = item as unknown as PreparedDevice
    const known = await installations.findByToken(tx, app_id, device)
    if (known !== null) {
      results.push({ number, outcome: 'existing', reason: null, target_id: known })
      continue
    }
    const user = user_id === null ? null : await users.put(tx, { org_id, app_id, user_id })
    const zone = time_zone === null ? {} : { time_zone }
    const row = { org_id, app_id, ...device, ...zone, tags, push_user_id: user?.id ?? null }
    const { id } = await register(tx, row, undefined)
    results.push({ number, outcome: 'imported', reason: null, target_id: id })
  }
  return results
}
