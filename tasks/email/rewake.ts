import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import { listWaiting, lockExpired } from '#sql/email/claims.ts'
import { endLost, type Holder } from '#sql/email/connections.ts'
import { IpPool } from '#sql/email/deliveries.ts'
import * as scheduled from '#sql/email/scheduled.ts'
import { settle } from '#sql/email/settle.ts'
import { inBatches } from '../queue/batches.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { recordOutcomes } from './rules/record-outcomes.ts'
import { scheduledTask } from './rules/scheduled-task.ts'
import { wakeDomains, wakeSet } from './rules/wake-delivery.ts'

/** Milliseconds for which a message may be due before its wake-up counts as lost: jobs take it in less, or find the way full. */
const lateMs = 45_000

/** Looks after mail that waits: wakes what nobody was woken for, gives up what is over. */
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
        await db.transaction((tx) => (mx_set === null ? wakeDomains(tx, pool, [domain]) : wakeSet(tx, pool, mx_set)))
      }
    }
  },
})

/** Gives back the connections of workers whose lease is over, and those that `holder` has lost sight of, and wakes delivery for what they had. */
export async function wakeLost(db: DatabasePool, holder?: Holder): Promise<void> {
  await db.transaction(async (tx) => {
    for (const { pool, mx_set } of await endLost(tx, holder)) await wakeSet(tx, pool, mx_set)
  })
}

/** Messages beyond their time by which those are known whose job was lost. */
const mostLate = 1_000

/** Has what waits for its time released that no job came to: of one that was lost, or whose organisation was held then. */
async function releaseLate(db: DatabasePool): Promise<void> {
  const orgIds = await scheduled.late(db, lateMs, mostLate)
  await enqueueMany(
    db,
    scheduledTask,
    orgIds.map((orgId) => ({ orgId })),
    (i) => ({ key: `late ${orgIds[i]}`, orgId: orgIds[i] as string }),
  )
}

/** Gives up messages whose time is over and that no job came to: of an MX set that is suspended, of a pool without a worker. */
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
