import type { Db } from '#sql/db.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { recordBroadcast } from '../record-broadcast.ts'
import { endBroadcast } from './broadcasts.ts'

/** Ends a broadcast once and, if it was recorded, enqueues the job for its asset. */
export async function closeBroadcast(tx: Db, id: string, reason: broadcasts.EndReason): Promise<void> {
  const broadcast = await broadcasts.findAny(tx, id)
  if (!broadcast || broadcast.ended_at) return
  await endBroadcast(tx, id, reason)
  if (broadcast.record)
    await enqueue(
      tx,
      recordBroadcast,
      { broadcastId: id },
      { subject: id, orgId: broadcast.org_id, key: `record:${id}` },
    )
}
