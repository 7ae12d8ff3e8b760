import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import { listWaiting, lockExpired } from '#sql/email/delivery/claims.ts'
import { type Holder, releaseLost } from '#sql/email/delivery/connections.ts'
import { IpPool } from '#sql/email/delivery/deliveries.ts'
import { settle } from '#sql/email/delivery/settle.ts'
import * as scheduled from '#sql/email/scheduled.ts'
import { inBatches } from '../queue/batches.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { recordOutcomes } from './rules/record-outcomes.ts'
import { scheduledTask } from './rules/scheduled-task.ts'
import { enqueueDomains, enqueueMxSet } from './rules/wake-delivery.ts'

/**
 * Time in milliseconds for which a message may be due before its job counts as lost. Normally a job takes the message
 * earlier, or finds no free connection.
 */
const lateMs = 45_000

/** Starts delivery of pending messages without a job. Gives up messages whose delivery time has ended. */
export const rewake = task({
  name: 'email/rewake',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db, signal }) {
    await wakeLost(db)
    await releaseLate(db)
    await inBatches(signal, (limit) => expire(db, limit), 500)
    for (const pool of IpPool.options) {
      for (const { domain, mx_set } of await listWaiting(db, pool, lateMs)) {
        signal.throwIfAborted()
        await db.transaction((tx) =>
          mx_set === null ? enqueueDomains(tx, pool, [domain]) : enqueueMxSet(tx, pool, mx_set),
        )
      }
    }
  },
})

/**
 * Releases connections of workers whose lease has expired, and connections that `holder` no longer has. Restarts
 * delivery for them.
 */
export async function wakeLost(db: DatabasePool, holder?: Holder): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { pool, mx_set } of await releaseLost(tx, holder)) await enqueueMxSet(tx, pool, mx_set)
  })
}

const mostLate = 1_000

/** Releases scheduled messages whose job was lost or whose organisation was locked. */
async function releaseLate(db: DatabasePool): Promise<void> {
  const orgIds = await scheduled.listLate(db, lateMs, mostLate)
  await enqueueMany(
    db,
    scheduledTask,
    orgIds.map((orgId) => ({ orgId })),
    (i) => ({ key: `late ${orgIds[i]}`, orgId: orgIds[i] as string }),
  )
}

/**
 * Gives up messages whose delivery time has ended and that no job handles, for example because the MX set is suspended
 * or the pool has no worker.
 */
async function expire(db: DatabasePool, limit: number): Promise<number> {
  return await db.transaction(async (tx) => {
    const rows = await lockExpired(tx, limit)
    await settle(
      tx,
      rows.map(({ id, attempts }) => ({
        message_id: id,
        leased_by: null,
        attempts,
        retry_ms: null,
        local_address: null,
      })),
    )
    await recordOutcomes(
      tx,
      rows.map(({ id }) => ({
        messageId: id,
        status: 'failed',
        replyClass: 'expired',
        reason: '4.4.7 The message could not be delivered in time.',
      })),
    )
    return rows.length
  })
}
