import { lockStoredBytes, storageLimit } from '#sql/account/usage/storage.ts'
import type { Db } from '#sql/db.ts'

export interface StorageLeft {
  /** Storage limit in bytes: the plan's, or the organisation's lower budget. */
  max: number
  /** Bytes below the limit. 0 or more. */
  left: number
  /** Name of the limit, for an error message. */
  whose: string
}

/** Locks the organisation's stored bytes until the transaction ends. */
export async function lockStorageLeft(tx: Db, orgId: string, planBytes: number): Promise<StorageLeft> {
  const stored = await lockStoredBytes(tx, orgId)
  const max = await storageLimit(tx, orgId, planBytes)
  const whose = max < planBytes ? 'the storage budget of your organisation' : "your plan's storage"
  return { max, left: Math.max(0, max - stored), whose }
}
