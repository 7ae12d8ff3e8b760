import type { Db } from '#sql/db.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { enqueue } from '../../queue/enqueue.ts'
import type { Ending } from '../../queue/task.ts'
import { discardPackage } from '../discard-package.ts'

/** Makes a package that goes before the ladder the served one; it is discarded where the ladder was there first, or the asset has failed. */
export async function serveFirst(
  tx: Db,
  made: { assetId: string; packageId: string },
  record: (tx: Db) => Promise<void>,
): Promise<void> {
  if (await pipeline.becomePlayable(tx, made.assetId, made.packageId)) return await record(tx)
  await enqueue(tx, discardPackage, made)
}

/** What is left of a package that goes before the ladder goes; the ladder goes on without it, and makes the asset playable when it is ready. */
export async function goWithout({ assetId }: { assetId: string }, _: Error, { db, runId }: Ending): Promise<void> {
  if (runId) await enqueue(db, discardPackage, { assetId, packageId: runId })
}
