import type { DatabasePool } from '#sql/db.ts'
import * as ipPools from '#sql/email/delivery/ip-pools.ts'
import { moveOf } from '#sql/email/delivery/misplaced.ts'
import * as controls from '#sql/jobs/controls.ts'
import { enqueuePlaces } from './wake-delivery.ts'

/**
 * Assigns a dedicated IP pool to an organisation, and moves its waiting messages to the pool. Messages that are being
 * sent end in the former pool. Returns false if the pool or the organisation is taken, or the pool does not exist.
 */
export async function assignIpPool(db: DatabasePool, name: string, orgId: string, actor: string): Promise<boolean> {
  return await db.transaction(async (tx) => {
    if (!(await ipPools.assign(tx, name, orgId))) return false
    await enqueuePlaces(tx, await moveOf(tx, orgId))
    const target = `IP pool ${name} of ${orgId}`
    await controls.recordAction(tx, { actor, action: 'assign', target, count: 1 })
    return true
  })
}

/** Takes the pool of an organisation back. Its waiting messages move to the shared pools. Returns the name, or null. */
export async function unassignIpPool(db: DatabasePool, orgId: string, actor: string): Promise<string | null> {
  return await db.transaction(async (tx) => {
    const name = await ipPools.unassign(tx, orgId)
    if (name === null) return null
    await enqueuePlaces(tx, await moveOf(tx, orgId))
    const target = `IP pool ${name} of ${orgId}`
    await controls.recordAction(tx, { actor, action: 'unassign', target, count: 1 })
    return name
  })
}
