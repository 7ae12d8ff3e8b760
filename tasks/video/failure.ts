import { Cancelled, Permanent } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { enqueueDiscard } from './discard.ts'
import { MediaFault } from './media-fault.ts'

const ourFault = 'Something went wrong on our side while this video was being processed. Please upload it again.'

/** Runs a step; an input that can never work ends its job for good instead of being tried again. */
export async function mediaStep<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof MediaFault) throw new Permanent(`${error.code}: ${error.evidence}`, { cause: error })
    throw error
  }
}

/** Brings an asset to its failed end with a sentence for its owner, and has its intermediate files removed. */
export async function failAsset(
  { assetId }: { assetId: string },
  error: Error,
  { db }: { db: DatabasePool },
): Promise<void> {
  const fault = error.cause instanceof MediaFault ? error.cause : undefined
  const code = fault?.code ?? (error instanceof Cancelled ? 'cancelled' : 'internal')
  await db.transaction(async (tx) => {
    await pipeline.fail(tx, assetId, code, fault?.message ?? ourFault)
    const asset = await assets.findAny(tx, assetId)
    if (asset) await enqueueDiscard(tx, asset)
  })
}
