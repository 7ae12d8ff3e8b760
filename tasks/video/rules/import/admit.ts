import * as plans from '#sql/account/plans.ts'
import { lockStoredBytes, storageLimit } from '#sql/account/usage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import { ImportFault } from './fault.ts'

/** Counts the bytes of an import. Throws if the organisation’s plan now has no room for them. */
export async function admit(
  tx: Db,
  { asset_id, org_id }: { asset_id: string; org_id: string },
  bytes: number,
): Promise<void> {
  const plan = await plans.findForOrganisation(tx, org_id)
  if (bytes > plan.upload_bytes)
    throw new ImportFault('too_large', `The file has ${bytes} bytes. Your plan allows ${plan.upload_bytes}.`)
  const stored = await lockStoredBytes(tx, org_id)
  const counted = (await assets.findAny(tx, asset_id))?.bytes ?? 0
  const left = (await storageLimit(tx, org_id, plan.storage_bytes)) - (stored - counted)
  if (bytes > left) throw new ImportFault('storage_full', `The file has ${bytes} bytes. Your storage has ${left} left.`)
  await assets.setBytes(tx, asset_id, bytes)
}
