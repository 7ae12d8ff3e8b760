import type { Db } from '#sql/db.ts'
import * as flowJobs from '#sql/work/flow-jobs.ts'
import * as flows from '#sql/work/flows.ts'
import * as unblocking from '#sql/work/unblocking.ts'
import { demandRoom } from '../pending-limit.ts'
import { advanceFlows } from './release-dependents.ts'

const isReplayed = ({ state }: flowJobs.FlowJob): boolean =>
  state === 'failed' || state === 'cancelled' || state === 'skipped'

/**
 * Starts the failed, cancelled and skipped jobs of a locked flow again. Completed jobs do not run again. Returns the
 * number of replayed jobs.
 */
export async function replayFlow(tx: Db, flow: flows.Flow): Promise<number> {
  const jobs = await flowJobs.listOfFlows(tx, [flow.id])
  return await replay(
    tx,
    flow,
    jobs.filter(isReplayed).map(({ job_id }) => job_id),
  )
}

/** Starts one failed job of a locked flow again, and then the jobs that were skipped because of it. */
export async function replayFlowJob(tx: Db, flow: flows.Flow, jobId: string): Promise<void> {
  const jobs = await flowJobs.listOfFlows(tx, [flow.id])
  const again = new Set(jobs.filter(({ job_id }) => job_id === jobId).map(({ name }) => name))
  for (let size = 0; size < again.size; ) {
    size = again.size
    for (const { name, state, after } of jobs)
      if (state === 'skipped' && after.some((one) => again.has(one))) again.add(name)
  }
  await replay(
    tx,
    flow,
    jobs.filter(({ name }) => again.has(name)).map(({ job_id }) => job_id),
  )
}

async function replay(tx: Db, flow: flows.Flow, jobIds: readonly string[]): Promise<number> {
  const again = await unblocking.blockAgain(tx, jobIds)
  if (again.length === 0) return 0
  await demandRoom(tx, flow.org_id, again.length)
  await flowJobs.setStates(
    tx,
    again.map((job_id) => ({ job_id, state: 'blocked' })),
  )
  await flows.reopen(tx, flow.id)
  await advanceFlows(tx, await flows.lockMany(tx, [flow.id]))
  return again.length
}
