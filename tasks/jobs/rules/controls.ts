import type { DatabasePool } from '#sql/db.ts'
import * as rows from '#sql/jobs/actions.ts'
import * as controls from '#sql/jobs/controls.ts'
import * as parking from '#sql/jobs/parking.ts'
import { type PoolName, poolSchema } from '../../pools.ts'

/** A pool, or with a task that task alone. */
export interface Target {
  pool: PoolName
  task: string
}

const nameOf = ({ pool, task }: Target) => task || pool

/** Pauses a pool or a task on every host until it is resumed; false when it was paused already. What runs goes on. */
export async function pause(
  db: DatabasePool,
  target: Target,
  { actor, reason }: { actor: string; reason?: string | undefined },
): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const changed = await controls.pause(tx, { ...target, reason, actor })
    if (changed) await controls.note(tx, { actor, action: 'pause', target: nameOf(target), count: 1, reason })
    return changed
  })
}

/** Ends a pause; false when there was none. */
export async function resume(db: DatabasePool, target: Target, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const changed = await controls.resume(tx, target)
    if (changed) await controls.note(tx, { actor, action: 'resume', target: nameOf(target), count: 1 })
    await rows.wake(tx, { pool: target.pool, schema: poolSchema(target.pool) }, 1)
    return changed
  })
}

/** Has every worker on a host fetch nothing until that is undone; false when it was so already. What runs goes on. */
export async function drain(db: DatabasePool, host: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const changed = await controls.drain(tx, host, actor)
    if (changed) await controls.note(tx, { actor, action: 'drain', target: host, count: 1 })
    return changed
  })
}

/** Lets the workers on a host fetch again; false when they did. */
export async function undrain(db: DatabasePool, host: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const changed = await controls.undrain(tx, host)
    if (changed) await controls.note(tx, { actor, action: 'undrain', target: host, count: 1 })
    return changed
  })
}

/** Jobs that one statement parks or returns. */
const batchSize = 5_000

/**
 * Brings a pool's waiting jobs to where its pauses want them. The pool's workers do so by themselves; an operator who does
 * it too sees it done. Stops when nothing is left that can be moved.
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
