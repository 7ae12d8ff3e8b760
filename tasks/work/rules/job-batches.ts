import { type DatabasePool, isRowFault } from '#sql/db.ts'
import { persist } from '#sql/persist.ts'
import * as turns from '#sql/work/turns.ts'
import type { JobBatches, Outcome } from '../engine.ts'
import { createBatcher } from './batcher.ts'
import { recordOutcomes } from './record-outcomes.ts'
import { RunningCalls } from './running-calls.ts'

/**
 * Time in milliseconds for which an outcome is kept while the database is unavailable. An outcome that is lost causes the
 * request to be sent again.
 */
const keptMs = 15_000

/** Maximum number of jobs per statement. Jobs that begin have bodies of up to 256 KiB. */
const [mostBegun, mostRecorded] = [64, 200]

export function createJobBatches(db: DatabasePool): JobBatches & AsyncDisposable {
  const calls = new RunningCalls(db)
  const begin = createBatcher<turns.Turn, turns.Begun | null>({
    ...{ most: mostBegun, atOnce: 1, isOnes: isRowFault },
    async write(given) {
      const begun = new Map((await turns.begin(db, given)).map((job) => [job.id, job]))
      return given.map(({ id }) => begun.get(id) ?? null)
    },
  })
  const record = createBatcher<Outcome, void>({
    ...{ most: mostRecorded, atOnce: 1, isOnes: isRowFault },
    async write(outcomes) {
      await persist(db, keptMs, (tx) => recordOutcomes(tx, outcomes))
      return outcomes.map(() => undefined)
    },
  })
  return {
    ...{ begin, record },
    watch: (turn, abort) => calls.add(turn, abort),
    [Symbol.asyncDispose]: () => calls[Symbol.asyncDispose](),
  }
}
