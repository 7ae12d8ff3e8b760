import type { DatabasePool } from '#sql/db.ts'
import * as turns from '#sql/work/turns.ts'
import { admitJobs, enqueueTurns } from './admit-jobs.ts'

/** Number of jobs per transaction. */
const dueBatch = 500

/** Puts due jobs in the queue or in the line of their key. Returns the number of jobs that were due, up to `dueBatch`. */
export async function startDue(db: DatabasePool): Promise<number> {
  return await db.transaction(async (tx) => {
    const due = await turns.lockDue(tx, dueBatch)
    if (due.length === 0) {
      await turns.postponeClosing(tx, dueBatch)
      return 0
    }
    // A paced job has its place and its slot already.
    const paced = due.filter(({ phase }) => phase === 'paced')
    await turns.markReady(tx, await enqueueTurns(tx, paced))
    await admitJobs(
      tx,
      due.filter(({ phase }) => phase === 'timed'),
    )
    return due.length
  })
}
