import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import * as plans from '#sql/account/plans.ts'
import { readStoredBytes, storageLimit } from '#sql/account/usage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as facts from '#sql/files/images/facts.ts'
import * as variants from '#sql/files/images/variants.ts'
import * as objects from '#sql/files/objects.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { discardVariant } from './discard-variant.ts'
import { isOfImage } from './measure-image.ts'
import type { ImageEngine, ImageSources, MadeImage, Transformed } from './rules/images/engine.ts'
import { readRecipe } from './rules/images/recipe.ts'
import { isTransformable } from './rules/images/transformable.ts'
import { variantKey } from './rules/keys.ts'

/** Delay in milliseconds after which bytes are deleted that a killed worker stored. */
const strayMs = 10 * 60_000

/** Makes a variant of a clean image. Page visitors wait for it. */
export const makeVariant = task({
  name: 'files/make-variant',
  pool: 'images',
  payload: z.object({ variantId: Id, objectId: Id }),
  attempts: 2,
  timeout: 60_000,
  async run({ variantId, objectId }, tools): Promise<void> {
    const { db } = tools
    const [variant, object] = await Promise.all([variants.findById(db, variantId), objects.findAny(db, objectId)])
    if (variant?.state !== 'making') return
    if (object?.scan_status !== 'clean' || object.held_key === null || !isTransformable(object))
      return await variants.forget(db, variantId)
    // The clean-up is added before anything is stored, because a worker can be killed.
    const [result] = await Promise.all([transform(tools, object, variant.recipe), enqueueCleanUp(db, variant)])
    if ('original' in result) return await variants.setOriginal(db, variantId)
    if ('made' in result) return await store(tools, variant, result.made)
    if (result.fault !== 'result_too_large') await facts.put(db, object, { fault: result.fault })
    await variants.setFailed(db, variantId, result.fault)
  },
  // Visitors choose the size and the format. One that takes too long must not end the other variants of the image.
  async giveUp({ variantId }, error, { db }) {
    await (isOfImage(error) ? variants.setFailed(db, variantId, 'result_too_large') : variants.forget(db, variantId))
  },
})

interface Tools {
  db: DatabasePool
  images: ImageEngine
  sources: ImageSources
  storage: Storage
  signal: AbortSignal
}

async function transform(
  { images, sources, signal }: Tools,
  object: objects.FileObject,
  recipe: string,
): Promise<Transformed> {
  const source = await sources.read(object.held_key ?? '', signal)
  return await images.transform(source, readRecipe(recipe), { signal })
}

/** The job has no organisation, because jobs of a closing organisation wait and are deleted. */
async function enqueueCleanUp(db: DatabasePool, { id, object_id: objectId }: variants.Variant): Promise<void> {
  const later = { key: `variant:${id}`, at: new Date(Date.now() + strayMs) }
  await enqueue(db, discardVariant, { objectId, variantId: id }, later)
}

async function store(
  { db, storage, signal }: Tools,
  { id, org_id, object_id }: variants.Variant,
  { bytes, contentType, width, height }: MadeImage,
): Promise<void> {
  const key = variantKey(object_id, id)
  await storage.put(key, bytes, { contentType, signal })
  const made = { content_type: contentType, width, height, byte_size: bytes.length }
  if (await keep(db, { id, org_id }, made)) return
  await storage.remove(key, signal)
  await variants.forget(db, id)
}

/**
 * Ends the variant if the organisation has storage for it. Returns false if its bytes must be deleted. The total is
 * locked by the first update, so variants that are made at the same time cannot exceed the limit together.
 */
async function keep(
  db: DatabasePool,
  { id, org_id }: Pick<variants.Variant, 'id' | 'org_id'>,
  made: Parameters<typeof variants.setMade>[2],
): Promise<boolean> {
  const { storage_bytes } = await plans.findForOrganisation(db, org_id)
  return await db.transaction(async (tx) => {
    if (!(await variants.setMade(tx, id, made))) return false
    const stored = await readStoredBytes(tx, org_id)
    if (stored <= (await storageLimit(tx, org_id, storage_bytes))) return true
    await variants.refuse(tx, id)
    return false
  })
}
