import type { Db } from '#sql/db.ts'
import * as mend from '#sql/jobs/actions.ts'
import type { Queue } from '#sql/jobs/graphile-schema.ts'
import * as orphans from '#sql/jobs/orphans.ts'
import { poolSchema } from '../queue/pools.ts'
import { readEnvelope } from '../queue/task.ts'

const core: Queue = { pool: 'core', schema: poolSchema('core') }

const nameOf = (queue: Queue, { id }: mend.Held) => `${queue.pool}:${id}`

/** What is about to tell tasks that these jobs are over, by the jobs' ids; it is held, and tells nobody meanwhile. */
export async function burialsOf(
  tx: Db,
  queue: Queue,
  jobs: readonly mend.Held[],
): Promise<Map<number, orphans.Burial[]>> {
  const burials = await orphans.holdBurials(
    tx,
    core,
    jobs.map((job) => nameOf(queue, job)),
    jobs.flatMap(({ run_id }) => run_id ?? []),
  )
  const isOf = (job: mend.Held) => (burial: orphans.Burial) =>
    burial.job === nameOf(queue, job) || (job.run_id !== null && burial.run === job.run_id)
  return new Map(jobs.map((job) => [job.id, burials.filter(isOf(job))]))
}

/** Takes back what would tell tasks that jobs are over which are to be tried again. */
export async function unbury(tx: Db, burials: readonly orphans.Burial[]): Promise<void> {
  await mend.remove(
    tx,
    core,
    burials.map(({ id }) => id),
  )
}

/** What is about to tell a task that a run which has left its queue is over. */
export const burialsOfRun = (tx: Db, runId: string) => orphans.holdBurials(tx, core, [], [runId])

/** What tells a task that a job is over without a worker to say so. */
export const burialOf = (queue: Queue, { id, task, envelope, error }: orphans.Dead) => ({
  task,
  envelope: readEnvelope(envelope),
  job: `${queue.pool}:${id}`,
  why: 'failed' as const,
  ...(error && { error: { name: 'Error', message: error } }),
})
