import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import type * as runs from '#sql/notify/runs.ts'
import { enqueueMany } from '../../queue/enqueue.ts'
import type { TaskSignature } from '../../queue/task.ts'

/** Maximum number of runs per job. */
const maxRuns = 100

const runIds = z.object({ runIds: z.array(Id).max(maxRuns) })

export const takeStepsJob: TaskSignature<typeof runIds, 'core'> = {
  name: 'notify/take-steps',
  pool: 'core',
  payload: runIds,
  attempts: 8,
  tracked: false,
}

const reached = z.object({ runId: Id, number: z.int() })

export const fetchJob: TaskSignature<typeof reached, 'webhooks'> = {
  name: 'notify/fetch',
  pool: 'webhooks',
  payload: reached,
  attempts: 8,
  tracked: false,
}

/** Enqueues the next steps of runs, at a time or immediately. Each job has runs of one organisation. */
export async function enqueueSteps(
  tx: Db,
  waiting: readonly Pick<runs.Run, 'id' | 'org_id'>[],
  at?: Date,
): Promise<void> {
  const jobs = [...Map.groupBy(waiting, ({ org_id }) => org_id)].flatMap(([orgId, ofOrg]) =>
    Array.from({ length: Math.ceil(ofOrg.length / maxRuns) }, (_, i) => ({
      orgId,
      runIds: ofOrg.slice(i * maxRuns, (i + 1) * maxRuns).map(({ id }) => id),
    })),
  )
  await enqueueMany(
    tx,
    takeStepsJob,
    jobs.map(({ runIds }) => ({ runIds })),
    (i) => ({ orgId: jobs[i]?.orgId as string, ...(at && { at }) }),
  )
}

/** Enqueues the requests of runs that have reached a `fetch` step. */
export async function enqueueFetches(
  tx: Db,
  fetching: readonly Pick<runs.Run, 'id' | 'org_id' | 'step'>[],
): Promise<void> {
  await enqueueMany(
    tx,
    fetchJob,
    fetching.map(({ id, step }) => ({ runId: id, number: step })),
    (i) => ({ orgId: fetching[i]?.org_id as string }),
  )
}
