import { setTimeout as pause } from 'node:timers/promises'
import * as closures from '#sql/account/closures.ts'
import { readReferences, referToIds } from '#sql/account/move-references.ts'
import { quietly } from '#sql/account/move-rows.ts'
import { markMoved, unmarkMoved } from '#sql/account/moved.ts'
import * as moves from '#sql/account/moves.ts'
import * as orgs from '#sql/account/orgs.ts'
import { listWaiting } from '#sql/email/claims.ts'
import { IpPool } from '#sql/email/deliveries.ts'
import { addMoved, readOfOrg, removeAllOfOrg } from '#sql/jobs/of-org.ts'
import { wakeDomains, wakeSet } from '../../../email/rules/wake-delivery.ts'
import { queues } from '../../../pools.ts'
import { type Moving, named } from './plan.ts'

/**
 * Has the target take over: the jobs that wait come with the transaction that lets them run there, and until that is committed nothing
 * of the organisation runs anywhere. Nothing is done where it has taken over already. False when workers had jobs of it for so many seconds.
 */
export async function takeOver(moving: Moving, seconds: number): Promise<boolean> {
  const { target, move } = moving
  const waiting = await readWaiting(moving, seconds)
  if (!waiting) return false
  await target.db.transaction(async (tx) => {
    await quietly(tx)
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
 * The jobs that wait. A worker that fetches one of an organisation which is held has it for a moment, and gives it back: each queue is
 * looked at when that is so of none; none is added any more. Undefined when that does not come to pass in time.
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

/** Wakes delivery of the mail that came with a move; what this misses is woken within minutes. */
export async function wakeMail({ target }: Moving): Promise<void> {
  for (const pool of IpPool.options) {
    for (const { domain, mx_set } of await listWaiting(target.db, pool, 0)) {
      await target.db.transaction((tx) =>
        mx_set === null ? wakeDomains(tx, pool, [domain]) : wakeSet(tx, pool, mx_set),
      )
    }
  }
}

/** Whether the target has taken over: its word is the one that counts. */
export async function hasArrived({ target, move }: Moving): Promise<boolean> {
  return (await moves.find(target.db, move.id))?.state === 'arrived'
}

/** Has the cell that is left pass requests on, and hold no job of the organisation any more. */
export async function handOver({ source, target, move }: Moving): Promise<void> {
  await source.db.transaction(async (tx) => {
    await quietly(tx)
    if (!(await moves.advance(tx, move.id, ['switching'], 'moved'))) return
    const references = await readReferences(tx, move.org_id)
    await markMoved(tx, { orgId: move.org_id, cell: target.name, references })
    for (const queue of queues) await removeAllOfOrg(tx, queue, move.org_id)
  })
}

/** Names all that is passed on by an id, and has the rows that stayed behind deleted. */
export async function leave({ source, tables, move, tell }: Moving, actor: string): Promise<void> {
  for (const name of named) {
    const table = tables.find((one) => one.name === name)
    if (table) await referToIds(source.db, table, move.org_id)
  }
  if (await orgs.find(source.db, move.org_id))
    await closures.request(source.db, { orgId: move.org_id, kind: 'operator', name: actor, days: 0 })
  tell('the remaining rows in the source cell are deleted within minutes')
}
