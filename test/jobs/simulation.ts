import { agedAfter, agedLevel, levelSize, placed, priorityOf } from '#tasks/queue/fairness.ts'

/** A job of a simulated pool; times in milliseconds. */
export interface SimulatedJob {
  org: string
  priority: number
  takes: number
  due: number
  /** The queue's column. */
  column: number
  /** Starts of other jobs between its enqueueing and its own start. */
  startedAfter?: number
  startedAt?: number
  order: number
}

/** What is simulated: by the policy, or without parts of it. */
export interface Pool {
  slots: number
  levels?: boolean
  ageing?: boolean
  /** How long a start takes to be seen by those who enqueue. */
  lag?: number
}

const sweepMs = 1_000
const mostAged = 50

/** A pool in simulated time: whoever is free takes the first job by column, then by age, as the queue does. */
export class Simulation {
  now = 0
  starts = 0
  /** When the last job ended. */
  ended = 0
  readonly #pool: Required<Pool> & { agedAfterMs: number }
  readonly #queue = new Map<number, SimulatedJob[]>()
  readonly #known = new Map<string, Map<number, number>>()
  #events: { at: number; order: number; run: () => void }[] = []
  #order = 0
  #running = 0
  #startsToAge = 0
  #waiting = 0

  constructor(pool: Pool, agedAfterMs: number) {
    this.#pool = { levels: true, ageing: true, lag: 0, ...pool, agedAfterMs }
  }

  /** Jobs that wait. */
  get waiting(): number {
    return this.#waiting
  }

  /** Calls `run` at that time. */
  at(time: number, run: () => void): void {
    const event = { at: time, order: this.#order++, run }
    let [low, high] = [0, this.#events.length]
    // Kept with the next one last; the order among equals is that in which they were asked for.
    while (low < high) {
      const middle = (low + high) >> 1
      const other = this.#events[middle] as typeof event
      if (other.at > time || (other.at === time && other.order > event.order)) low = middle + 1
      else high = middle
    }
    this.#events.splice(low, 0, event)
  }

  /** Enqueues jobs of one organisation, in one call. */
  enqueue(org: string, count: number, takes: (i: number) => number, priority = 0): SimulatedJob[] {
    const known = this.#known.get(org) ?? new Map<number, number>()
    this.#known.set(org, known)
    const jobs = Array.from({ length: count }, (_, i) => {
      let before = 0
      for (const [of, waits] of known) if (of <= priority) before += waits
      known.set(priority, (known.get(priority) ?? 0) + 1)
      const column = this.#pool.levels ? placed(priority, before) : priority
      const job = { org, priority, takes: takes(i), due: this.now, column, order: this.#order++ }
      this.#push(job)
      return Object.assign(job, { startedAfter: -this.starts - 1 }) as SimulatedJob
    })
    this.#waiting += count
    this.#fill()
    return jobs
  }

  /** Runs until nothing happens any more, or until that time. */
  run(until = Number.POSITIVE_INFINITY): void {
    if (this.#pool.ageing) this.#sweepAt(this.now + sweepMs, until)
    for (let event = this.#events.pop(); event && event.at <= until; event = this.#events.pop()) {
      this.now = event.at
      event.run()
    }
  }

  #sweepAt(time: number, until: number): void {
    this.at(time, () => {
      this.#age()
      if (this.#waiting > 0 && time < until) this.#sweepAt(time + sweepMs, until)
    })
  }

  #push(job: SimulatedJob): void {
    const line = this.#queue.get(job.column) ?? []
    this.#queue.set(job.column, line)
    let at = line.length
    while (at > 0 && (line[at - 1] as SimulatedJob).due > job.due) at--
    line.splice(at, 0, job)
  }

  #fill(): void {
    while (this.#running < this.#pool.slots && this.#waiting > 0) this.#start(this.#take())
  }

  #take(): SimulatedJob {
    const first = [...this.#queue].reduce((a, b) => (a[0] < b[0] ? a : b))
    const job = first[1].shift() as SimulatedJob
    if (first[1].length === 0) this.#queue.delete(first[0])
    this.#waiting--
    return job
  }

  #start(job: SimulatedJob): void {
    this.#running++
    this.#startsToAge++
    this.starts++
    job.startedAt = this.now
    job.startedAfter = this.starts + (job.startedAfter ?? 0)
    const known = this.#known.get(job.org) as Map<number, number>
    const tell = () => void known.set(job.priority, (known.get(job.priority) ?? 0) - 1)
    if (this.#pool.lag > 0) this.at(this.now + this.#pool.lag, tell)
    else tell()
    this.at(this.now + job.takes, () => {
      this.#running--
      this.ended = this.now
      this.#fill()
    })
  }

  #age(): void {
    const { aged: most, left } = agedAfter(this.#startsToAge, mostAged)
    if (most === 0) return
    this.#startsToAge = left
    const waitingAged = [...this.#queue].reduce((sum, [column, line]) => sum + (column < 0 ? line.length : 0), 0)
    if (waitingAged >= most) return
    const heads = [...this.#queue].flatMap(([column, line]) => (column < 0 ? [] : line.slice(0, most)))
    const old = heads.filter(({ due }) => due <= this.now - this.#pool.agedAfterMs)
    for (const job of old.toSorted((a, b) => a.due - b.due || a.order - b.order).slice(0, most)) {
      const line = this.#queue.get(job.column) as SimulatedJob[]
      line.splice(line.indexOf(job), 1)
      if (line.length === 0) this.#queue.delete(job.column)
      job.column = levelSize * agedLevel + priorityOf(job.column)
      this.#push(job)
    }
  }
}

/** Numbers from 0 to 1 that are the same in every run (a linear congruential generator, Numerical Recipes' constants). */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
