import type { Db } from '#sql/db.ts'
import * as rows from '#sql/jobs/actions.ts'
import type { Queue } from '#sql/jobs/graphile-schema.ts'
import * as orphans from '#sql/jobs/orphans.ts'
import { poolSchema } from '../../pools.ts'
import { readEnvelope } from '../../queue/task.ts'

const core: Queue = { pool: 'core', schema: poolSchema('core') }

const nameOf = (queue: Queue, { id }: rows.LockedJob) => `${queue.pool}:${id}`

/** Locks and returns the notices that will notify tasks of these failed jobs, by job ID. */
export async function lockNoticesOfJobs(
  tx: Db,
  queue: Queue,
  jobs: readonly rows.LockedJob[],
): Promise<Map<number, orphans.DeadNotice[]>> {
  const notices = await orphans.lockNotices(
    tx,
    core,
    jobs.map((job) => nameOf(queue, job)),
    jobs.flatMap(({ run_id }) => run_id ?? []),
  )
  const isOf = (job: rows.LockedJob) => (notice: orphans.DeadNotice) =>
    notice.job === nameOf(queue, job) || (job.run_id !== null && notice.run === job.run_id)
  return new Map(jobs.map((job) => [job.id, notices.filter(isOf(job))]))
}

export async function removeNotices(tx: Db, notices: readonly orphans.DeadNotice[]): Promise<void> {
  await rows.remove(
    tx,
    core,
    notices.map(({ id }) => id),
  )
}

export const lockNoticesOfRun = (tx: Db, runId: string) => orphans.lockNotices(tx, core, [], [runId])

export const createNotice = (queue: Queue, { id, task, envelope, error }: orphans.DeadJob) => ({
  task,
  envelope: readEnvelope(envelope),
  job: `${queue.pool}:${id}`,
  why: 'failed' as const,
  ...(error && { error: { name: 'Error', message: error } }),
})
