export interface Arrival {
  id: number
  /** The queue’s priority column. Lower values come first. */
  priority: number
  task: string
  org: string | undefined
}

export interface Turn {
  end(): void
}

export interface Waiter {
  job: Arrival
  isLeaving: boolean
  begin(turn: Turn): void
  leave(): void
}

interface Deferred {
  id: number
  priority: number
}

/** Maximum number of an organisation’s queued jobs that are known. Further jobs are fetched when they are due. */
const mostKnown = 10_000

/** Assumed duration in milliseconds of the first job, and weight of the latest job in the mean duration. */
const [firstMs, latest] = [1_000, 0.2]

/** Minimum and maximum delay in milliseconds until a returned job is fetched again. */
const [leastMs, mostMs] = [500, 5 * 60_000]

/** Slots of an organisation in a pool of this process, and its waiting jobs. */
export class Holder {
  readonly org: string
  readonly #begun: number[] = []
  readonly #waiters: Waiter[] = []
  readonly line: Deferred[] = []
  #meanMs = firstMs

  constructor(org: string) {
    this.org = org
  }

  get running(): number {
    return this.#begun.length
  }

  /** Number of jobs that wait in slots and will not return to the queue. */
  get waiting(): number {
    return this.#waiters.reduce((sum, { isLeaving }) => sum + (isLeaving ? 0 : 1), 0)
  }

  get isWaiting(): boolean {
    return this.#waiters.length + this.line.length > 0
  }

  get isIdle(): boolean {
    return this.running === 0 && !this.isWaiting
  }

  begin(): number {
    const now = performance.now()
    this.#begun.push(now)
    return now
  }

  ended(begun: number): void {
    this.#begun.splice(this.#begun.indexOf(begun), 1)
    this.#meanMs += latest * (performance.now() - begun - this.#meanMs)
  }

  /** Waits in the slot for a turn. Returns undefined if no turn comes in time, or if another job needs the slot. */
  async wait(job: Arrival, ms: number, isLeaving = false): Promise<Turn | undefined> {
    const { promise, resolve } = Promise.withResolvers<Turn | undefined>()
    const waiter = { job, isLeaving, begin: resolve, leave: () => resolve(undefined) }
    this.#waiters.push(waiter)
    const timer = setTimeout(() => this.#leave(waiter), ms)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  next(): Waiter | undefined {
    const [first] = this.#waiters.toSorted((a, b) => a.job.priority - b.job.priority)
    if (first) this.#waiters.splice(this.#waiters.indexOf(first), 1)
    return first
  }

  /** Returns the newest waiting job to the queue. Returns false if no job is waiting. */
  evict(): boolean {
    const last = this.#waiters.findLast(({ isLeaving }) => !isLeaving)
    if (last) this.#leave(last)
    return last !== undefined
  }

  evictAll(): void {
    for (const waiter of [...this.#waiters]) this.#leave(waiter)
  }

  #leave(waiter: Waiter): void {
    const at = this.#waiters.indexOf(waiter)
    if (at === -1) return
    this.#waiters.splice(at, 1)
    waiter.leave()
  }

  /** Adds a job that returns to the queue. Returns the estimated time until its turn in milliseconds. */
  joinLine(id: number, priority: number, atOnce: number): number {
    const place = placeOf(this.line, { id, priority })
    if (this.line.length < mostKnown) this.line.splice(place, 0, { id, priority })
    const oldest = this.#begun[0] ?? performance.now()
    const eachMs = Math.max(this.#meanMs, performance.now() - oldest)
    const ms = (eachMs * (place + 1)) / atOnce
    return Math.round(Math.min(mostMs, Math.max(leastMs, ms)) * (1 + Math.random() / 10))
  }

  leaveLine(id: number): void {
    const at = this.line.findIndex((one) => one.id === id)
    if (at !== -1) this.line.splice(at, 1)
  }
}

/** Returns the position of a job among the waiting jobs: by priority, then by age. */
function placeOf(line: readonly Deferred[], { id, priority }: Deferred): number {
  let [from, to] = [0, line.length]
  while (from < to) {
    const middle = (from + to) >> 1
    const one = line[middle] as Deferred
    if (one.priority < priority || (one.priority === priority && one.id < id)) from = middle + 1
    else to = middle
  }
  return from
}
