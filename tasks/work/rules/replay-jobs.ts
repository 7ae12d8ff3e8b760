import type { Db } from '#sql/db.ts'
import * as flows from '#sql/work/flows.ts'
import * as jobs from '#sql/work/jobs.ts'
import { admitJobs } from './admit-jobs.ts'
import { replayFlowJob } from './flows/replay-flow.ts'

/** Starts an ended and locked job again, in the caller’s transaction. */
export async function replayJob(tx: Db, job: jobs.Job): Promise<jobs.Job> {
  const [flow] = await flows.lockOfJobs(tx, [job.id])
  if (flow) await replayFlowJob(tx, flow, job.id)
  else {
    await jobs.reopen(tx, [job.id])
    await admitJobs(tx, [job])
  }
  return (await jobs.find(tx, job.org_id, job.id)) as jobs.Job
}
