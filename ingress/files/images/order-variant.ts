import * as plans from '#sql/account/plans.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as rows from '#sql/files/images/variants.ts'
import { lockStorageLeft } from '#tasks/account/rules/storage-left.ts'
import { enqueueVariantRemoval } from '#tasks/files/discard-variant.ts'
import { makeVariant } from '#tasks/files/make-variant.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { storageFull } from './problems.ts'

export interface VersionOfImage {
  version_id: string
  org_id: string
}

/** Age in milliseconds after which a variant that is still being made gets another job. */
const lostMs = 60_000

/** Adds a variant and its job, unless another request has. Returns the ID. Throws 409 `storage_full`. */
export async function orderVariant(db: DatabasePool, version: VersionOfImage, recipe: string): Promise<string> {
  const { version_id: objectId, org_id: orgId } = version
  return await db.transaction(async (tx) => {
    const before = await rows.find(tx, objectId, recipe)
    if (before) return await renew(tx, before)
    await requireStorage(tx, orgId)
    const variant = await rows.insert(tx, { org_id: orgId, object_id: objectId, recipe })
    if (!variant) return (await rows.find(tx, objectId, recipe))?.id ?? objectId
    await enqueueVariantRemoval(tx, await rows.trim(tx, objectId))
    await addJob(tx, variant)
    return variant.id
  })
}

async function renew(tx: Db, variant: rows.Variant): Promise<string> {
  const isLost = variant.state === 'making' && variant.created_at.getTime() < Date.now() - lostMs
  if (isLost) await addJob(tx, variant)
  return variant.id
}

async function addJob(tx: Db, { id, org_id: orgId, object_id: subject }: rows.Variant): Promise<void> {
  await enqueue(tx, makeVariant, { variantId: id, objectId: subject }, { orgId, subject, key: `variant-making:${id}` })
}

async function requireStorage(tx: Db, orgId: string): Promise<void> {
  const plan = await plans.findForOrganisation(tx, orgId)
  const { left, whose } = await lockStorageLeft(tx, orgId, plan.storage_bytes)
  if (left === 0) throw storageFull(`No image can be stored: ${whose} is used up.`)
}
