import { createBatcher } from '#lib/batcher.ts'
import { type DatabasePool, isRowFault } from '#sql/db.ts'
import { persist } from '#sql/persist.ts'
import * as jobs from '#sql/work/jobs.ts'
import * as turns from '#sql/work/turns.ts'
import type { JobBatches } from '../engine.ts'
import { type Outcome, recordOutcomes } from './record-outcomes.ts'

/**
 * Time in milliseconds for which an outcome is kept while the database is unavailable. An outcome that is lost causes the
 * request to be sent again.
 */
const keptMs = 15_000

const most = 200

/** Interval in milliseconds between checks for jobs that must be aborted. */
const lookMs = 250

export function createJobBatches(db: DatabasePool): JobBatches & AsyncDisposable {
  const running = new Map<string, () => void>()
  const begin = createBatcher<turns.Turn, turns.Begun | null>({
    ...{ most, atOnce: 1, isOnes: isRowFault },
    async write(given) {
      const begun = new Map((await turns.begin(db, given)).map((job) => [job.id, job]))
      return given.map(({ id }) => begun.get(id) ?? null)
    },
  })
  const record = createBatcher<Outcome, void>({
    ...{ most, atOnce: 1, isOnes: isRowFault },
    async write(outcomes) {
      await persist(db, keptMs, (tx) => recordOutcomes(tx, outcomes))
      return outcomes.map(() => undefined)
    },
  })
  let looking: Promise<void> | undefined
  const look = async () => {
    if (running.size === 0) return
    for (const id of await jobs.listToCancel(db, [...running.keys()])) running.get(id)?.()
  }
  const timer = setInterval(() => {
    looking ??= look()
      .catch(() => {})
      .finally(() => {
        looking = undefined
      })
  }, lookMs)
  return {
    begin,
    record,
    watch(jobId, cancel) {
      running.set(jobId, cancel)
      return { [Symbol.dispose]: () => running.delete(jobId) }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await looking
    },
  }
}
