import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'
import { releaseScheduled } from './rules/release-scheduled.ts'
import { scheduledTask } from './rules/scheduled-task.ts'

const batch = 500

/** Releases due messages of an organisation. If a job is lost, `email/rewake` finds its messages. */
export const sendScheduled = task({
  ...scheduledTask,
  run: ({ orgId }, { db, signal }) =>
    inBatches(signal, (limit) => db.transaction((tx) => releaseScheduled(tx, orgId, limit)), batch),
})
