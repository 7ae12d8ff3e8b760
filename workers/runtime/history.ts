import { describe } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as depths from '#sql/jobs/depths.ts'
import * as failures from '#sql/jobs/failures.ts'
import * as minutes from '#sql/jobs/minutes.ts'
import { queues } from '#tasks/queue/pools.ts'
import { type FailedAttempt, FailureBox } from './failure-box.ts'
import { type Clock, Tally } from './statistics.ts'

/** Records what this process's workers did. A crash may lose the last seconds of it, and never a job. */
export interface History {
  /** The counts of a task. */
  tally(pool: string, task: string): Tally
  /** Notes an attempt that threw. */
  failed(attempt: FailedAttempt): void
  /** Writes what is left. */
  stop(): Promise<void>
}

const flushMs = 2_000

/** How often each process looks whether a minute's sample of the queues is still to be taken. */
const sampleMs = 15_000

/** Starts recording; what cannot be written is kept and tried again. */
export function startHistory(db: DatabasePool): History {
  const clock: Clock = { offset: performance.timeOrigin }
  const box = new FailureBox(clock)
  const tallies: Tally[] = []
  let flushing: Promise<void> = Promise.resolve()

  async function flush(): Promise<void> {
    await Promise.all([writeMinutes(db, tallies), writeFailures(db, box)])
  }
  const flushSoon = () => {
    flushing = flushing.then(flush).catch(quietly)
    return flushing
  }
  async function look(): Promise<void> {
    await setClock(db, clock)
    await depths.sample(db, queues)
  }

  setClock(db, clock).catch(quietly)
  let busy = false
  const timers = [
    setInterval(() => {
      if (busy) return
      busy = true
      void flushSoon().finally(() => {
        busy = false
      })
    }, flushMs),
    setInterval(() => void look().catch(quietly), sampleMs),
  ]

  return {
    tally(pool, task) {
      const tally = new Tally(pool, task, clock)
      tallies.push(tally)
      return tally
    },
    failed: (attempt) => box.add(attempt),
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await flushSoon()
      for (const tally of tallies) tally.close()
    },
  }
}

const quietly = (error: unknown) => log.debug({ err: describe(error) }, 'the history could not be written')

async function writeMinutes(db: DatabasePool, tallies: readonly Tally[]): Promise<void> {
  const taken = tallies.map((tally) => ({ tally, counted: tally.take() }))
  try {
    await minutes.add(
      db,
      taken.flatMap(({ counted }) => counted),
    )
  } catch (error) {
    for (const { tally, counted } of taken) tally.putBack(counted)
    throw error
  }
}

async function writeFailures(db: DatabasePool, box: FailureBox): Promise<void> {
  const taken = box.take()
  try {
    await failures.insertMany(db, taken)
  } catch (error) {
    box.putBack(taken)
    throw error
  }
}

/** Asks the database for its time, halfway between the question and the answer. */
async function setClock(db: DatabasePool, clock: Clock): Promise<void> {
  const asked = performance.now()
  const now = await minutes.clock(db)
  clock.offset = now - (asked + performance.now()) / 2
}
