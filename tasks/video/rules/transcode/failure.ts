import { Cancelled, hostFaultCode, Permanent, Rejected } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as captions from '#sql/video/captions.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import type { ReviveTools } from '../../../queue/task.ts'
import { cancelDiscard, enqueueDiscard, enqueuePermanentDiscard } from '../../discard.ts'
import { emitAsset } from '../emit-asset.ts'
import { isMediaFault, MediaFault } from './media-fault.ts'

const ourFault = 'An internal error occurred while this video was processed. Upload it again.'

/**
 * Runs a step. If a retry cannot work, the job is rejected and not retried. If no machine has room for the step, the
 * job fails, so that an operator can fix this and retry.
 */
export async function runMediaStep<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof MediaFault)) throw error
    const ErrorClass = error.code === 'no_room' ? Permanent : Rejected
    throw new ErrorClass(`${error.code}: ${error.evidence}`, { cause: error })
  }
}

export async function failAsset(
  { assetId }: { assetId: string },
  error: Error,
  { db }: { db: DatabasePool },
): Promise<void> {
  const fault = isMediaFault(error.cause) ? error.cause : undefined
  const code = fault?.code ?? hostFaultCode(error) ?? (error instanceof Cancelled ? 'cancelled' : 'internal')
  await db.transaction(async (tx) => {
    const hasFailed = await pipeline.fail(tx, assetId, code, fault?.message ?? ourFault)
    if (hasFailed) {
      await captions.failWaiting(tx, assetId)
      await emitAsset(tx, assetId, 'video.asset.failed')
    }
    const asset = await assets.findAny(tx, assetId)
    if (!asset) return
    await enqueueDiscard(tx, asset)
    if (pipeline.retryableCodes.includes(code)) await enqueuePermanentDiscard(tx, asset)
  })
}

/** Resets a failed asset to the start of its processing. Throws `Permanent` if its upload was deleted. */
async function bringBack(assetId: string, { db }: ReviveTools): Promise<string | null> {
  const orgId = await pipeline.revive(db, assetId)
  if (orgId !== null) {
    if (await cancelDiscard(db, assetId)) return orgId
    throw new Permanent('The files of this video are being deleted. Try again in a moment.')
  }
  const asset = await assets.findAny(db, assetId)
  if (!asset) throw new Permanent('The asset was deleted.')
  if (asset.status !== 'failed') return null
  throw new Permanent('The upload was deleted or can never be processed. It must be uploaded again.')
}

export async function reviveStep({ assetId }: { assetId: string }, tools: ReviveTools): Promise<void> {
  await bringBack(assetId, tools)
}

/** Retries a failed asset from its upload, because the inputs of later steps were deleted. */
export async function reviveFromStart({ assetId }: { assetId: string }, tools: ReviveTools): Promise<void> {
  const orgId = await bringBack(assetId, tools)
  if (orgId) await tools.enqueue('video/probe', { assetId }, { subject: assetId, orgId })
}
