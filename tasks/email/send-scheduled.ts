import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'
import { releaseScheduled } from './rules/release-scheduled.ts'
import { scheduledTask } from './rules/scheduled-task.ts'

const batch = 500

/** Releases due messages of an organisation. Messages of lost jobs are found by `email/rewake`. */
export const sendScheduled = task({
  ...scheduledTask,
  run: ({ orgId }, { db, signal }) =>
    inBatches(signal, (limit) => db.transaction((tx) => releaseScheduled(tx, orgId, limit)), batch),
})
