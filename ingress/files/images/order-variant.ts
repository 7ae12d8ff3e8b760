import * as plans from '#sql/account/plans.ts'
import { readStoredBytes, storageLimit } from '#sql/account/usage/storage.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import * as rows from '#sql/files/images/variants.ts'
import { enqueueVariantRemoval } from '#tasks/files/discard-variant.ts'
import { makeVariant } from '#tasks/files/make-variant.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import { storageFull } from './problems.ts'

export interface VersionOfImage {
  version_id: string
  org_id: string
}

export const noStorage = 'No image can be stored: the storage of the organisation is used up.'

/** Age in milliseconds after which a variant that is still being made gets another job. */
const lostMs = 60_000

/** Adds a variant and its job, unless another request has. Returns the ID. Throws 409 `storage_full`. */
export async function orderVariant(db: DatabasePool, version: VersionOfImage, recipe: string): Promise<string> {
  const { version_id: objectId, org_id: orgId } = version
  await requireStorage(db, orgId)
  return await db.transaction(async (tx) => {
    const variant = await rows.insert(tx, { org_id: orgId, object_id: objectId, recipe })
    if (!variant) return await renew(tx, await rows.find(tx, objectId, recipe), objectId)
    await enqueueVariantRemoval(tx, await rows.trim(tx, objectId))
    await addJob(tx, variant)
    return variant.id
  })
}

/**
 * Adds another job if the first one is lost, or the storage was used up. Returns the ID of the variant, or `otherwise` if
 * it is deleted.
 */
async function renew(tx: Db, variant: rows.Variant | null, otherwise: string): Promise<string> {
  if (variant === null) return otherwise
  const isLost = variant.state === 'making' && variant.created_at.getTime() < Date.now() - lostMs
  if (isLost || (await rows.restart(tx, variant.id))) await addJob(tx, variant)
  return variant.id
}

async function addJob(tx: Db, { id, org_id: orgId, object_id: subject }: rows.Variant): Promise<void> {
  const key = `variant-making:${id}`
  await enqueue(tx, makeVariant, { variantId: id, objectId: subject }, { orgId, subject, key })
}

/** The size of the variant is not known yet. The worker checks the limit again when it stores the variant. */
async function requireStorage(db: DatabasePool, orgId: string): Promise<void> {
  const [plan, stored] = await Promise.all([plans.findForOrganisation(db, orgId), readStoredBytes(db, orgId)])
  if (stored >= (await storageLimit(db, orgId, plan.storage_bytes))) throw storageFull(noStorage)
}
