import * as under from '#sql/account/move/under-way.ts'
import { runningOfOrg } from '#sql/jobs/of-org.ts'
import { queues } from '../../../pools.ts'
import type { Moving } from './plan.ts'

/**
 * Returns activities that prevent a move: broadcasts, rooms, calls, a closure, and uploads in parts if bytes are
 * copied.
 */
export async function listUnderWay({ source, move }: Pick<Moving, 'source' | 'move'>): Promise<readonly string[]> {
  return await under.listLive(source.db, move.org_id, { uploads: move.objects === 'copied' })
}

export async function listInHand({ source, move }: Pick<Moving, 'source' | 'move'>): Promise<readonly string[]> {
  const jobs = await Promise.all(queues.map((queue) => runningOfOrg(source.db, queue, move.org_id)))
  const leases = await under.listLeases(source.db, move.org_id)
  return [...jobs.flat().map((task) => `job ${task}`), ...leases].sort()
}
