import { setTimeout as pause } from 'node:timers/promises'
import * as closures from '#sql/account/closures.ts'
import { markMoved, unmarkMoved } from '#sql/account/move/moved.ts'
import * as moves from '#sql/account/move/moves.ts'
import { readReferences, referToIds } from '#sql/account/move/references.ts'
import { disableTriggers } from '#sql/account/move/rows.ts'
import * as orgs from '#sql/account/orgs.ts'
import { listWaiting } from '#sql/email/delivery/claims.ts'
import { moveOf } from '#sql/email/delivery/misplaced.ts'
import { IpPool } from '#sql/email/delivery/pool-keys.ts'
import { addMoved, readOfOrg, removeAllOfOrg } from '#sql/jobs/of-org.ts'
import { enqueueDomains, enqueueMxSet, enqueuePlaces } from '../../../email/rules/wake-delivery.ts'
import { queues } from '../../../pools.ts'
import { type Moving, tablesInUrls } from './plan.ts'

/**
 * Makes the target take over. Pending jobs are copied in the transaction that enables them in the target, so that no
 * cell runs jobs of the organisation before the commit. Does nothing if the target has already taken over. Returns
 * false if workers held jobs for `seconds`.
 */
export async function takeOver(moving: Moving, seconds: number): Promise<boolean> {
  const { target, move } = moving
  const waiting = await readWaiting(moving, seconds)
  if (!waiting) return false
  await target.db.transaction(async (tx) => {
    await disableTriggers(tx)
    if (!(await moves.advance(tx, move.id, ['incoming'], 'arrived'))) return
    for (const { queue, jobs } of waiting) {
      await removeAllOfOrg(tx, queue, move.org_id)
      await addMoved(tx, queue, jobs)
    }
    await unmarkMoved(tx, move.org_id)
  })
  return true
}

/**
 * Returns the pending jobs. A worker that fetches a job of a locked organisation returns it after a moment, so each
 * queue is read when no job is leased. No more jobs are added. `undefined` if this takes too long.
 */
async function readWaiting({ source, move }: Moving, seconds: number) {
  const end = performance.now() + seconds * 1000
  const waiting = []
  for (const queue of queues) {
    let jobs = await readOfOrg(source.db, queue, move.org_id)
    while (!jobs) {
      if (performance.now() > end) return undefined
      await pause(20)
      jobs = await readOfOrg(source.db, queue, move.org_id)
    }
    waiting.push({ queue, jobs })
  }
  return waiting
}

/** Starts the delivery of moved email. If this fails for a message, its delivery starts within minutes. */
export async function wakeMail({ target, move }: Moving): Promise<void> {
  // The organisation leaves its dedicated IP addresses in the source.
  await target.db.transaction(async (tx) => enqueuePlaces(tx, await moveOf(tx, move.org_id)))
  for (const pool of IpPool.options) {
    for (const { domain, mx_set } of await listWaiting(target.db, pool, 0)) {
      await target.db.transaction((tx) =>
        mx_set === null ? enqueueDomains(tx, pool, [domain]) : enqueueMxSet(tx, pool, mx_set),
      )
    }
  }
}

export async function hasArrived({ target, move }: Moving): Promise<boolean> {
  return (await moves.find(target.db, move.id))?.state === 'arrived'
}

/** Makes the source forward requests. The source then has no jobs of the organisation. */
export async function handOver({ source, target, move }: Moving): Promise<void> {
  await source.db.transaction(async (tx) => {
    await disableTriggers(tx)
    if (!(await moves.advance(tx, move.id, ['switching'], 'moved'))) return
    const references = await readReferences(tx, move.org_id)
    await markMoved(tx, { orgId: move.org_id, cell: target.name, references })
    for (const queue of queues) await removeAllOfOrg(tx, queue, move.org_id)
  })
}

/** Adds references for all IDs in URLs, and deletes the remaining rows in the source. */
export async function removeSourceRows({ source, tables, move, tell }: Moving, actor: string): Promise<void> {
  for (const name of tablesInUrls) {
    const table = tables.find((one) => one.name === name)
    if (table) await referToIds(source.db, table, move.org_id)
  }
  if (await orgs.find(source.db, move.org_id))
    await closures.request(source.db, { orgId: move.org_id, kind: 'operator', name: actor, days: 0 })
  tell('the remaining rows in the source cell are deleted within minutes')
}
