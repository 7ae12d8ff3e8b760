import type { Db } from '#sql/db.ts'
import * as pieces from '#sql/video/parts.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { enqueue } from '../../../queue/enqueue.ts'
import { enqueueDiscard } from '../../discard.ts'
import { packageLadder } from '../../package-ladder.ts'
import { packageLowest } from '../../package-lowest.ts'
import type { Cost } from './media.ts'

/**
 * Records a finished chunk or audio track. The job that finishes the last piece adds the packaging job in the same
 * transaction. If the smallest rendition is encoded first, its last piece does the same.
 */
export async function finishPiece(tx: Db, asset: pipeline.Work, piece: pieces.PieceName, cost: Cost): Promise<void> {
  await pieces.markFinished(tx, asset.id, piece, cost)
  const left = await pieces.remaining(tx, asset.id)
  // The asset has failed. This piece was stored after the other pieces were deleted.
  if (!(await pipeline.find(tx, asset.id))) return await enqueueDiscard(tx, asset)
  const about = { subject: asset.id, orgId: asset.org_id }
  const payload = { assetId: asset.id }
  if (left.all === 0) await enqueue(tx, packageLadder, payload, { ...about, key: `package:${asset.id}` })
  else if (left.first === 0 && piece.kind !== 'chunk')
    await enqueue(tx, packageLowest, payload, { ...about, key: `package-lowest:${asset.id}` })
}
