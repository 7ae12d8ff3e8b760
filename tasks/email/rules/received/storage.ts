import * as plans from '#sql/account/plans.ts'
import * as stored from '#sql/account/usage/storage.ts'
import type { Db } from '#sql/db.ts'
import { emit } from '../../../webhooks/rules/emit.ts'

/** Percentages at which webhooks are sent. After usage falls below `calm`, the webhooks can be sent again. */
const [warned, full, calm] = [80, 100, 70] as const

/**
 * Storage that received email may use: a share of the organisation’s storage. Untrusted email thus leaves room for the
 * organisation’s own files.
 */
export interface ReceivedStorage {
  used: number
  limit: number
  /** True if all storage of the organisation is used. */
  isFull: boolean
}

/** Share of an organisation’s storage that received email can use. */
const share = 0.25

export async function receivedStorage(db: Db, orgId: string): Promise<ReceivedStorage> {
  const plan = await plans.findForOrganisation(db, orgId)
  const all = await stored.storageLimit(db, orgId, plan.storage_bytes)
  const { bytes, received_bytes } = await stored.readStorage(db, orgId)
  const limit = Math.floor(all * share)
  return { used: received_bytes, limit, isFull: bytes > all }
}

/** Sends a webhook once when 80 % of the share is used, and once when the share is full. */
export async function warnOfReceivedStorage(tx: Db, orgId: string): Promise<void> {
  const { used, limit } = await receivedStorage(tx, orgId)
  const percent = (100 * used) / Math.max(1, limit)
  const reached = percent >= full ? full : percent >= warned ? warned : percent < calm ? 0 : undefined
  if (reached === undefined) return
  const isNew = await stored.setReceivedWarned(tx, orgId, reached)
  if (!isNew || reached === 0) return
  const used_bytes = Math.min(used, limit)
  await emit(tx, orgId, 'email.inbound_storage.warning', { used_bytes, limit_bytes: limit, percent: reached })
}
