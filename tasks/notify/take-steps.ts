import { Later } from '#lib/errors.ts'
import type { Db } from '#sql/db.ts'
import * as runs from '#sql/notify/runs.ts'
import { task } from '../queue/task.ts'
import { emitEndedRuns, recordFailedRuns } from './rules/end-runs.ts'
import { enqueueFetches, enqueueSteps, takeStepsJob } from './rules/step-jobs.ts'
import { walkRuns } from './rules/walk-runs.ts'

/**
 * Runs the due steps of runs. Each step runs once, however often the job runs: a step’s message, its trace and the
 * run’s progress are one transaction. If a job fails, each of its runs gets its own job, so that one bad run does not
 * delay the others.
 */
export const takeSteps = task({
  ...takeStepsJob,
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
  const { parked, fetching } = await walkRuns(tx, runIds)
  await enqueueFetches(tx, fetching)
  for (const [, group] of Map.groupBy(parked, ({ due_at }) => due_at.getTime())) {
    await enqueueSteps(tx, group, group[0]?.due_at)
  }
}
