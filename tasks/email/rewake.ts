import type { Logger } from 'pino'
import { z } from 'zod'
import type { DatabasePool } from '#sql/db.ts'
import { listWaiting, lockExpired } from '#sql/email/delivery/claims.ts'
import { type Holder, releaseLost } from '#sql/email/delivery/connections.ts'
import * as ipPools from '#sql/email/delivery/ip-pools.ts'
import { moveMisplaced } from '#sql/email/delivery/misplaced.ts'
import { IpPool, type PoolKey } from '#sql/email/delivery/pool-keys.ts'
import { settle } from '#sql/email/delivery/settle.ts'
import * as scheduled from '#sql/email/scheduled.ts'
import { inBatches } from '../queue/batches.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { recordOutcomes } from './rules/record-outcomes.ts'
import { scheduledTask } from './rules/scheduled-task.ts'
import { enqueueDomains, enqueueMxSet, enqueuePlaces } from './rules/wake-delivery.ts'

/**
 * Time in milliseconds for which a message may be due before its job counts as lost. Normally a job takes the message
 * earlier, or finds no free connection.
 */
const lateMs = 45_000

/** Maximum number of messages per run that are moved to their pool. */
const mostMoved = 10_000

/** Starts delivery of pending messages without a job. Gives up messages whose delivery time has ended. */
export const rewake = task({
  name: 'email/rewake',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db, log, signal }) {
    await wakeLost(db)
    await releaseLate(db)
    await inBatches(signal, (limit) => expire(db, limit), 500)
    await correctPools(db)
    for (const pool of await listServed(db, log)) {
      for (const { domain, mx_set } of await listWaiting(db, pool, lateMs)) {
        signal.throwIfAborted()
        await db.transaction((tx) =>
          mx_set === null ? enqueueDomains(tx, pool, [domain]) : enqueueMxSet(tx, pool, mx_set),
        )
      }
    }
  },
})

/** Moves messages that are in the wrong pool. */
async function correctPools(db: DatabasePool): Promise<void> {
  await db.transaction(async (tx) => enqueuePlaces(tx, await moveMisplaced(tx, mostMoved)))
}

/** Returns the pools that a worker serves. Messages of the others wait until a worker with their addresses starts. */
async function listServed(db: DatabasePool, log: Pick<Logger, 'warn'>): Promise<PoolKey[]> {
  const dedicated = await ipPools.listKeys(db)
  const unserved = new Set(dedicated.filter(({ has_worker }) => !has_worker).map(({ name }) => name))
  for (const { name, waiting } of unserved.size > 0 ? await ipPools.listViews(db) : []) {
    if (waiting > 0 && unserved.has(name))
      log.warn({ ip_pool: name, waiting }, 'email waits because no worker has an address of its IP pool')
  }
  return [...IpPool.options, ...dedicated.filter(({ has_worker }) => has_worker).map(({ key }) => key)]
}

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
