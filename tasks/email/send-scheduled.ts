import { inBatches } from '../queue/batches.ts'
import { task } from '../queue/task.ts'
import { releaseScheduled } from './rules/release-scheduled.ts'
import { scheduledTask } from './rules/scheduled-task.ts'

/** Messages that one transaction releases. */
const batch = 500

/** Has an organisation's messages delivered whose time has come. What a lost job leaves is found by `email/rewake`. */
export const sendScheduled = task({
  ...scheduledTask,
  run: ({ orgId }, { db, signal }) =>
    inBatches(signal, (limit) => db.transaction((tx) => releaseScheduled(tx, orgId, limit)), batch),
})
