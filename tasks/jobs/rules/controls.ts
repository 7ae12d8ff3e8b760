import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/jobs/actions.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as parking from '#sql/jobs/parking.ts'
import { type PoolName, poolSchema } from '../../pools.ts'

export interface Target {
  pool: PoolName
  task: string
}

const nameOf = ({ pool, task }: Target) => task || pool

/**
 * Pauses a pool or a task on every host until it is resumed. Running jobs continue. Returns false if it was already
 * paused.
 */
export async function pause(
  db: DatabasePool,
  target: Target,
  { actor, reason }: { actor: string; reason?: string | undefined },
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const changed = await controls.pause(tx, { ...target, reason, actor })
    if (changed) await controls.recordAction(tx, { actor, action: 'pause', target: nameOf(target), count: 1, reason })
    return changed
  })
}

export async function resume(db: DatabasePool, target: Target, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const changed = await controls.resume(tx, target)
    if (changed) await controls.recordAction(tx, { actor, action: 'resume', target: nameOf(target), count: 1 })
    await rows.wake(tx, { pool: target.pool, schema: poolSchema(target.pool) }, 1)
    return changed
  })
}

/**
 * Drains a host: its workers fetch no jobs until the drain is undone. Running jobs continue. Returns false if the host
 * was already drained.
 */
export async function drain(db: DatabasePool, host: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const changed = await controls.drain(tx, host, actor)
    if (changed) await controls.recordAction(tx, { actor, action: 'drain', target: host, count: 1 })
    return changed
  })
}

export async function undrain(db: DatabasePool, host: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const changed = await controls.undrain(tx, host)
    if (changed) await controls.recordAction(tx, { actor, action: 'undrain', target: host, count: 1 })
    return changed
  })
}

const batchSize = 5_000

/**
 * Parks and unparks a pool’s waiting jobs according to its pauses. The pool’s workers also do this automatically. If an
 * operator does it, the work completes before the call returns. Stops when no more jobs can be moved.
 */
export async function applyPauses(
  db: DatabasePool,
  pool: PoolName,
  onMoved?: (moved: number) => void,
): Promise<number> {
  const queue = { pool, schema: poolSchema(pool) }
  let total = 0
  for (;;) {
    const { parked, unparked } = await parking.applyPauses(db, queue, batchSize)
    if (parked + unparked === 0) return total
    total += parked + unparked
    onMoved?.(total)
  }
}
