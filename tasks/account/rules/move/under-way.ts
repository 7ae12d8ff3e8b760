import * as under from '#sql/account/move-under-way.ts'
import { runningOfOrg } from '#sql/jobs/of-org.ts'
import { queues } from '../../../pools.ts'
import type { Moving } from './plan.ts'

/** What of an organisation cannot move while it goes on: broadcasts, rooms, calls, its closure; where bytes are copied, uploads in parts, too. */
export async function listUnderWay({ source, move }: Pick<Moving, 'source' | 'move'>): Promise<readonly string[]> {
  return await under.listLive(source.db, move.org_id, { uploads: move.objects === 'copied' })
}

/** What workers have of an organisation in their hands: jobs, and what they have leased. */
export async function listInHand({ source, move }: Pick<Moving, 'source' | 'move'>): Promise<readonly string[]> {
  const jobs = await Promise.all(queues.map((queue) => runningOfOrg(source.db, queue, move.org_id)))
  const leases = await under.listLeases(source.db, move.org_id)
  return [...jobs.flat().map((task) => `job ${task}`), ...leases].sort()
}
