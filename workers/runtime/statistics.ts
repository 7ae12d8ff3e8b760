import { histogram, type Observer, watchedCounter } from '#lib/telemetry/metrics.ts'
import type { Minute } from '#sql/jobs/minutes.ts'

export type Ending = 'done' | 'retried' | 'failed' | 'rejected' | 'returned'

const endings: readonly Ending[] = ['done', 'retried', 'failed', 'rejected', 'returned']

const minuteMs = 60_000

const mostMinutes = 120

const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800]
const waits = histogram(
  'millrace_job_wait_seconds',
  'Time from the due time of a job to the start of an attempt.',
  bounds,
)
const runs = histogram('millrace_job_run_seconds', 'Time from the start of an attempt to its end.', bounds)
const attempts = watchedCounter(
  'millrace_job_attempts_total',
  'Attempts that ended: done, retried (failed, will be retried), failed (failed permanently), rejected (invalid input), returned (later, back to the queue, cancelled).',
  ['pool', 'task', 'outcome'],
)

export interface Clock {
  /** Offset in milliseconds that converts `performance.now()` to the database’s time since 1970. */
  offset: number
}

/** Counts the attempts of one task. It is called 30,000 times per second, so it only adds numbers. */
export class TaskStatistics {
  readonly #clock: Clock
  readonly #waits: Observer
  readonly #runs: Observer
  readonly #totals: Record<Ending, number> = { done: 0, retried: 0, failed: 0, rejected: 0, returned: 0 }
  #open: Minute
  #over: Minute[] = []
  readonly close: () => void

  constructor(pool: string, task: string, clock: Clock) {
    const labels = { pool, task }
    this.#clock = clock
    this.#open = emptyMinute(pool, task)
    this.#waits = waits.with(labels)
    this.#runs = runs.with(labels)
    this.close = attempts.watch(() =>
      endings.map((outcome) => ({ labels: { ...labels, outcome }, value: this.#totals[outcome] })),
    )
  }

  /**
   * Counts an attempt that ends now. `due` is a time of the database’s clock. `begun` is a time of `performance.now()`.
   */
  note(ending: Ending, due: number, begun: number): void {
    const ended = performance.now()
    const ran = ended - begun
    // The clocks of different machines differ, so a job can seem to start before it is due.
    const waited = Math.max(0, begun + this.#clock.offset - due)
    const at = this.#minuteAt(ended + this.#clock.offset)
    at[ending]++
    at.wait_ms += waited
    at.run_ms += ran
    if (waited > at.wait_max_ms) at.wait_max_ms = waited
    if (ran > at.run_max_ms) at.run_max_ms = ran
    this.#totals[ending]++
    this.#waits.observe(waited / 1_000)
    this.#runs.observe(ran / 1_000)
  }

  #minuteAt(now: number): Minute {
    const open = this.#open
    if (now < open.at + minuteMs && now >= open.at) return open
    if (counts(open)) this.#over.push(open)
    this.#open = emptyMinute(open.pool, open.task, Math.floor(now / minuteMs) * minuteMs)
    return this.#open
  }

  take(): Minute[] {
    // Restored counts can belong to the current minute.
    const taken = byMinute(counts(this.#open) ? [...this.#over, this.#open] : this.#over)
    if (taken.length > 0) this.#open = emptyMinute(this.#open.pool, this.#open.task, this.#open.at)
    this.#over = []
    return taken.map(rounded)
  }

  /** Restores counts that could not be written. If there are too many, drops the oldest. */
  putBack(minutes: readonly Minute[]): void {
    this.#over = byMinute([...minutes, ...this.#over]).slice(-mostMinutes)
  }
}

const emptyMinute = (pool: string, task: string, at = 0): Minute => ({
  pool,
  task,
  at,
  done: 0,
  retried: 0,
  failed: 0,
  rejected: 0,
  returned: 0,
  wait_ms: 0,
  wait_max_ms: 0,
  run_ms: 0,
  run_max_ms: 0,
})

const counts = (minute: Minute) => minute.done + minute.retried + minute.failed + minute.rejected + minute.returned > 0

const rounded = (minute: Minute): Minute => ({
  ...minute,
  wait_ms: Math.round(minute.wait_ms),
  wait_max_ms: Math.round(minute.wait_max_ms),
  run_ms: Math.round(minute.run_ms),
  run_max_ms: Math.round(minute.run_max_ms),
})

function byMinute(minutes: readonly Minute[]): Minute[] {
  const merged = new Map<number, Minute>()
  for (const minute of minutes) {
    const same = merged.get(minute.at)
    merged.set(minute.at, same ? sum(same, minute) : minute)
  }
  return [...merged.values()]
}

function sum(one: Minute, other: Minute): Minute {
  return {
    ...one,
    done: one.done + other.done,
    retried: one.retried + other.retried,
    failed: one.failed + other.failed,
    rejected: one.rejected + other.rejected,
    returned: one.returned + other.returned,
    wait_ms: one.wait_ms + other.wait_ms,
    wait_max_ms: Math.max(one.wait_max_ms, other.wait_max_ms),
    run_ms: one.run_ms + other.run_ms,
    run_max_ms: Math.max(one.run_max_ms, other.run_max_ms),
  }
}
