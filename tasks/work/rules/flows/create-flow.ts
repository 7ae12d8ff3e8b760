import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as flowJobs from '#sql/work/flow-jobs.ts'
import * as flows from '#sql/work/flows.ts'
import { createJobs } from '../create-jobs.ts'
import type { NewJob } from '../new-job.ts'

export interface NewFlowJob {
  name: string
  after: readonly string[]
  onFailure: flowJobs.FlowJob['on_failure']
  withResults: boolean
  delaySeconds: number
  job: NewJob
}

export interface NewFlow {
  name: string | null
  jobs: readonly NewFlowJob[]
}

/** Creates a flow and its jobs in the caller’s transaction. Jobs that wait for no other start after the commit. */
export async function createFlow(tx: Db, orgId: string, { name, jobs }: NewFlow): Promise<flows.Flow> {
  const flow = await flows.insert(tx, { id: newId(), org_id: orgId, name, job_count: jobs.length })
  const created = await createJobs(
    tx,
    orgId,
    jobs.map(({ job, after, delaySeconds }) => ({
      ...job,
      runAt: after.length === 0 && delaySeconds > 0 ? new Date(Date.now() + delaySeconds * 1_000) : job.runAt,
      origin: { kind: 'flow', id: flow.id },
      blockedBy: after.length,
    })),
  )
  await flowJobs.insertMany(
    tx,
    jobs.map((job, position) => ({
      ...{ flow_id: flow.id, org_id: orgId, job_id: created[position]?.id ?? '', name: job.name, position },
      ...{ after: [...job.after], on_failure: job.onFailure, with_results: job.withResults },
      ...{ delay_seconds: job.delaySeconds, state: job.after.length === 0 ? 'open' : 'blocked' },
      ...{ response_status: null, result: null },
    })),
  )
  return flow
}
