import type { Db } from '#sql/db.ts'
import * as flows from '#sql/work/flows.ts'
import * as jobs from '#sql/work/jobs.ts'
import * as keys from '#sql/work/keys.ts'
import { intervalOf, lockKeys } from './admit-jobs.ts'
import { endJobs } from './end-jobs.ts'

/**
 * Cancels a job in the caller’s transaction. The job ends now. If its request is under way, the worker aborts it. An
 * ended job does not change. Returns null if the job does not exist.
 */
export async function cancelJob(tx: Db, orgId: string, id: string): Promise<jobs.Job | null> {
  await flows.lockOfJobs(tx, [id])
  await lockHeldKeys(tx, orgId, [id])
  const job = await jobs.lock(tx, orgId, id)
  if (!job || job.phase === 'ended') return job
  await endJobs(tx, [{ id, turn: null, status: 'cancelled', attempt: null, error: null }])
  if (job.phase === 'paced' && job.rate_key !== null) {
    await keys.returnSlot(tx, { org_id: orgId, key: job.rate_key }, intervalOf(job))
  }
  return await jobs.find(tx, orgId, id)
}

/**
 * Locks the concurrency keys of jobs that wait for a place, before these jobs. A transaction that gives a place locks
 * the key, then the job, so the reverse order would be a deadlock. Other jobs are locked before their keys.
 */
export async function lockHeldKeys(tx: Db, orgId: string, ids: readonly string[]): Promise<void> {
  await lockKeys(tx, await jobs.listHeld(tx, orgId, ids))
}
