import { badRequest } from '#lib/errors.ts'
import type { Plan } from '#sql/account/plans.ts'
import type { Db } from '#sql/db.ts'
import * as watermarks from '#sql/video/watermarks.ts'
import { lockStorageLeft } from '#tasks/account/rules/storage-left.ts'
import { problem } from '../../http/problem-kinds.ts'

export const planExceeded = problem(
  400,
  'plan_limit_exceeded',
  'The file is larger than the plan or its free storage allows.',
)

export async function checkWatermark(tx: Db, orgId: string, id: string): Promise<void> {
  if (await watermarks.find(tx, orgId, id)) return
  throw badRequest([{ field: 'body.watermark.watermarkId', issue: 'must be a watermark of your organisation' }])
}

/**
 * Throws if these bytes exceed the plan's storage. Locks the organisation's stored bytes until the transaction ends.
 */
export async function checkPlan(tx: Db, orgId: string, plan: Plan, bytes: number, field = 'body.bytes'): Promise<void> {
  const refuse = (limit: string, max: number, issue: string) =>
    planExceeded(`${field}: ${issue}`, { field, limit, max })
  if (bytes > plan.upload_bytes) {
    throw refuse('upload_bytes', plan.upload_bytes, `your plan allows uploads of up to ${plan.upload_bytes} bytes.`)
  }
  const { max, left, whose } = await lockStorageLeft(tx, orgId, plan.storage_bytes)
  if (bytes > left) throw refuse('storage_bytes', max, `${whose} has ${left} bytes left.`)
}
