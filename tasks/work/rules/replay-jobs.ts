import { getIdTime } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as flows from '#sql/work/flows.ts'
import * as jobs from '#sql/work/jobs.ts'
import { admitJobs } from './admit-jobs.ts'
import { replayFlowJob } from './flows/replay-flow.ts'
import { demandRoom } from './pending-limit.ts'
import { recordReplayed } from './record-forwarded.ts'

/** Maximum number of jobs per request, so that its transaction ends in time. */
export const mostReplayed = 1_000

/** Starts an ended and locked job again, in the caller’s transaction. */
export async function replayJob(tx: Db, job: jobs.Job): Promise<jobs.Job> {
  const [flow] = await flows.lockOfJobs(tx, [job.id])
  if (flow) await replayFlowJob(tx, flow, job.id)
  else {
    await demandRoom(tx, job.org_id, 1)
    await jobs.reopen(tx, [job.id])
    await admitJobs(tx, [job])
    await recordReplayed(tx, [job])
  }
  return (await jobs.find(tx, job.org_id, job.id)) as jobs.Job
}

/**
 * Starts failed jobs again that were created since a time, oldest first. Returns their number and the start of the next
 * request. Null if no failed job is left.
 */
export async function replayMany(
  tx: Db,
  orgId: string,
  { since, group }: { since: string; group?: string | undefined },
): Promise<{ replayed: number; next: Date | null }> {
  const found = await jobs.lockFailed(tx, orgId, { since, group, limit: mostReplayed + 1 })
  const replayed = found.slice(0, mostReplayed)
  if (replayed.length > 0) await demandRoom(tx, orgId, replayed.length)
  await jobs.reopen(
    tx,
    replayed.map(({ id }) => id),
  )
  await admitJobs(tx, replayed)
  await recordReplayed(tx, replayed)
  const next = found[mostReplayed]
  return { replayed: replayed.length, next: next ? new Date(getIdTime(next.id)) : null }
}
