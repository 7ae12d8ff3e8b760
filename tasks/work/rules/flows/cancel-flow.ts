import type { Db } from '#sql/db.ts'
import * as flowJobs from '#sql/work/flow-jobs.ts'
import * as flows from '#sql/work/flows.ts'
import * as turns from '#sql/work/turns.ts'
import { lockHeldKeys } from '../cancel-job.ts'
import { endJobs } from '../end-jobs.ts'
import { advanceFlows } from './release-dependents.ts'

/** Cancels all jobs of a locked flow that have not ended. Requests in progress are aborted. */
export async function cancelFlow(tx: Db, flow: flows.Flow): Promise<void> {
  await flows.markCancelled(tx, flow.id)
  const jobs = await flowJobs.listOfFlows(tx, [flow.id])
  const blocked = jobs.filter(({ state }) => state === 'blocked')
  await turns.endMany(
    tx,
    blocked.map(({ job_id: id }) => ({ id, turn: null, status: 'cancelled', attempt: null, error: null })),
  )
  await flowJobs.setStates(
    tx,
    blocked.map(({ job_id }) => ({ job_id, state: 'cancelled' })),
  )
  const open = jobs.filter(({ state }) => state === 'open').map(({ job_id }) => job_id)
  // All together, so that their keys are locked in one order.
  await lockHeldKeys(tx, flow.org_id, open)
  await endJobs(
    tx,
    open.map((id) => ({ id, turn: null, status: 'cancelled', attempt: null, error: null })),
  )
  await advanceFlows(tx, await flows.lockMany(tx, [flow.id]))
}
