import { describe } from '#lib/errors.ts'
import { runEvery } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import { writeInHalves } from '#lib/splitting.ts'
import { type DatabasePool, isRowFault } from '#sql/db.ts'
import * as depths from '#sql/jobs/depths.ts'
import * as failures from '#sql/jobs/failures.ts'
import * as minutes from '#sql/jobs/minutes.ts'
import { queues } from '#tasks/pools.ts'
import { type FailedAttempt, FailureBox } from './failure-box.ts'
import { type Clock, TaskStatistics } from './statistics.ts'

/** Records the activity of this process’s workers. A crash can lose the last seconds of the recording, but no job. */
export interface History {
  statistics(pool: string, task: string): TaskStatistics
  failed(attempt: FailedAttempt): void
  stop(): Promise<void>
}

const flushMs = 2_000

const sampleMs = 15_000

/** Starts the recording. Failed writes are retried. */
export function startTaskStatistics(db: DatabasePool): History {
  const clock: Clock = { offset: performance.timeOrigin }
  const box = new FailureBox(clock)
  const all: TaskStatistics[] = []
  const flush = async () => {
    await Promise.all([writeMinutes(db, all), writeFailures(db, box)])
  }
  const sample = async () => {
    await setClock(db, clock)
    await depths.sample(db, queues)
  }

  setClock(db, clock).catch(quietly)
  const flushing = runEvery(flushMs, flush, quietly)
  const sampling = runEvery(sampleMs, sample, quietly)

  return {
    statistics(pool, task) {
      const statistics = new TaskStatistics(pool, task, clock)
      all.push(statistics)
      return statistics
    },
    failed: (attempt) => box.add(attempt),
    async stop() {
      await Promise.all([flushing.stop(), sampling.stop()])
      await flush().catch(quietly)
      for (const statistics of all) statistics.close()
    },
  }
}

const quietly = (error: unknown) => log.debug({ err: describe(error) }, 'could not write task statistics or failures')

async function writeMinutes(db: DatabasePool, all: readonly TaskStatistics[]): Promise<void> {
  const taken = all.map((statistics) => ({ statistics, counted: statistics.take() }))
  try {
    await minutes.add(
      db,
      taken.flatMap(({ counted }) => counted),
    )
  } catch (error) {
    for (const { statistics, counted } of taken) statistics.putBack(counted)
    throw error
  }
}

async function writeFailures(db: DatabasePool, box: FailureBox): Promise<void> {
  await writeInHalves(box.take(), {
    write: (part) => failures.insertMany(db, part),
    isOnes: isRowFault,
    failed(part, error) {
      if (!isRowFault(error)) box.putBack(part)
      throw error
    },
  })
}

/** Reads the database’s time, adjusted by half of the round trip. */
async function setClock(db: DatabasePool, clock: Clock): Promise<void> {
  const asked = performance.now()
  const now = await minutes.clock(db)
  clock.offset = now - (asked + performance.now()) / 2
}
