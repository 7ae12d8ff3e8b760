import type { Db } from '#sql/db.ts'
import * as jobs from '#sql/work/jobs.ts'
import { endJobs } from './end-jobs.ts'

/**
 * Cancels a job in the caller’s transaction. The job ends now. If its request is under way, the worker aborts it. An
 * ended job does not change. Returns null if the job does not exist.
 */
export async function cancelJob(tx: Db, orgId: string, id: string): Promise<jobs.Job | null> {
  const job = await jobs.lock(tx, orgId, id)
  if (!job || job.phase === 'ended') return job
  await endJobs(tx, [{ id, turn: null, status: 'cancelled', attempt: null, error: null }])
  return await jobs.find(tx, orgId, id)
}
