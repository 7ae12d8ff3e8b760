import { newId } from '#lib/ids.ts'
import * as streams from '#sql/account/streams/streams.ts'
import type { DatabasePool } from '#sql/db.ts'
import { enqueueMany } from '../../../queue/enqueue.ts'
import { sendStream } from '../../send-stream.ts'

/** Number of streams per transaction. */
const batch = 200

/** Time in milliseconds after which a job that has not run counts as lost. */
const lostMs = 120_000

/** Adds a job for each stream with waiting records. Returns their number, up to `batch`. */
export async function wakeStreams(db: DatabasePool): Promise<number> {
  return await db.transaction(async (tx) => {
    const due = await streams.takeDue(tx, { limit: batch, ms: lostMs })
    const payloads = due.map(({ id }) => ({ streamId: id, wakeId: newId() }))
    await enqueueMany(tx, sendStream, payloads, (i) => {
      const { id, org_id } = due[i] as (typeof due)[number]
      return { orgId: org_id, key: `stream:${id}` }
    })
    return due.length
  })
}
