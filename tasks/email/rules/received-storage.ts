import { config } from '#lib/config.ts'
import * as plans from '#sql/account/plans.ts'
import * as stored from '#sql/account/storage.ts'
import type { Db } from '#sql/db.ts'
import { emit } from '../../webhooks/rules/emit.ts'

/** Percentages of the share at which webhooks are told; below `calm` they may be told again. */
const [warned, full, calm] = [80, 100, 70] as const

/** The storage that received mail may use: a share of the organisation's, so that mail of strangers leaves room for its own files. */
export interface ReceivedStorage {
  /** Bytes of received mail with its files. */
  used: number
  /** Bytes that received mail may use. */
  limit: number
  /** Whether all storage of the organisation is used, by whatever. */
  isFull: boolean
}

/** Reads how much storage an organisation's received mail uses, and of how much. */
export async function receivedStorage(db: Db, orgId: string): Promise<ReceivedStorage> {
  const plan = await plans.ofOrg(db, orgId)
  const all = await stored.storageLimit(db, orgId, plan.storage_bytes)
  const { bytes, received_bytes } = await stored.now(db, orgId)
  const limit = Math.floor((all * config.MAIL_INBOUND_STORAGE_PERCENT) / 100)
  return { used: received_bytes, limit, isFull: bytes > all }
}

/** Tells webhooks once that received mail uses 80 % of its share, and once that the share is full. */
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
