import { Later, Problem } from '#lib/errors.ts'
import * as runs from '#sql/automation/runs.ts'
import { isRowFault } from '#sql/db.ts'
import { task } from '../queue/task.ts'
import { enqueueRuns, performJob } from './rules/perform-job.ts'
import { performRuns, prepareRuns } from './rules/perform-runs.ts'

/**
 * Performs the actions of runs. An action runs once, however often the job runs: the created object and the end of the
 * run are one transaction. If a job fails, each of its runs gets its own job, so that one bad run does not delay the
 * others.
 */
const isOnes = (error: unknown): boolean => error instanceof Problem || isRowFault(error)

export const perform = task({
  ...performJob,
  async run({ runIds }, { db }) {
    try {
      const prepared = await prepareRuns(db, runIds)
      await db.transaction((tx) => performRuns(tx, prepared))
    } catch (error) {
      if (runIds.length === 1 || error instanceof Later || !isOnes(error)) throw error
      await db.transaction(async (tx) => enqueueRuns(tx, await runs.listWaiting(tx, runIds), { each: 1 }))
    }
  },
  giveUp: ({ runIds }, error, { db }) => runs.giveUp(db, runIds, error.message.slice(0, 1_000)),
  revive: ({ runIds }, { db }) => runs.revive(db, runIds),
})
