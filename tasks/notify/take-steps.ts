import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as runs from '#sql/notify/runs.ts'
import { enqueueMany } from '../queue/enqueue.ts'
import { type TaskSignature, task } from '../queue/task.ts'
import { emitEndedRuns, recordFailedRuns } from './rules/end-runs.ts'
import { walkRuns } from './rules/walk-runs.ts'

/** Maximum number of runs per job. */
const maxRuns = 100

const payload = z.object({ runIds: z.array(Id).max(maxRuns) })

const job: TaskSignature<typeof payload, 'core'> = {
  name: 'notify/take-steps',
  pool: 'core',
  payload,
  attempts: 8,
  tracked: false,
}

/**
 * Runs the due steps of runs. Each step runs once, however often the job runs: a step’s message, its trace and the
 * run’s progress are one transaction. If a job fails, each of its runs gets its own job, so that one bad run does not
 * delay the others.
 */
export const takeSteps = task({
  ...job,
  async run({ runIds }, { db }) {
    try {
      await db.transaction((tx) => take(tx, runIds))
    } catch (error) {
      if (runIds.length === 1 || error instanceof Later) throw error
      await db.transaction(async (tx) => {
        for (const one of await runs.listWaiting(tx, runIds)) await enqueueSteps(tx, [one])
      })
    }
  },
  async giveUp({ runIds }, error, { db }) {
    await db.transaction(async (tx) => {
      const failed = await runs.giveUp(tx, runIds)
      await recordFailedRuns(tx, failed, error)
      await emitEndedRuns(tx, failed)
    })
  },
  revive: ({ runIds }, { db }) => runs.retryMany(db, runIds),
})

async function take(tx: Db, runIds: readonly string[]): Promise<void> {
  const parked = await walkRuns(tx, runIds)
  for (const [, group] of Map.groupBy(parked, ({ due_at }) => due_at.getTime())) {
    await enqueueSteps(tx, group, group[0]?.due_at)
  }
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
    job,
    jobs.map(({ runIds }) => ({ runIds })),
    (i) => ({ orgId: jobs[i]?.orgId as string, ...(at && { at }) }),
  )
}
