import * as plans from '#sql/account/plans.ts'
import type { DatabasePool } from '#sql/db.ts'
import { getBacklogCache } from '../../queue/backlog-cache.ts'
import { findRoom } from '../../work/rules/pending-limit.ts'

/** Delay in milliseconds after which work continues that found too many waiting jobs. */
export const lateMs = 5_000

/** Number of requests that become jobs in one transaction. */
const batch = 100

/** Returns how many jobs can be created now: up to 100, and only as many as the plan of the organisation allows. */
export async function countFreeJobs(db: DatabasePool, orgId: string): Promise<number> {
  const [plan, entries] = await Promise.all([
    plans.findForOrganisation(db, orgId),
    getBacklogCache(db).find(db, 'calls', new Set([orgId])),
  ])
  const free = Math.min(batch, plan.waiting_jobs - (entries.get(orgId)?.waiting() ?? 0))
  return free > 0 ? await findRoom(db, orgId, free) : 0
}
