/** A fetched job, as far as its turn depends on it. */
export interface Arrival {
  id: number
  /** The queue's priority column: lower comes first. */
  priority: number
  task: string
  org: string | undefined
}

/** A job may run; `end` gives its slot back. */
export interface Turn {
  end(): void
}

/** A job that waits in its slot; `begin` lets it run. */
export interface Waiter {
  job: Arrival
  /** It is about to go back. */
  isLeaving: boolean
  begin(turn: Turn): void
  leave(): void
}

/** A job that waits in the queue for its organisation's turn. */
interface Deferred {
  id: number
  priority: number
}

/** Jobs of an organisation that are known to wait in the queue, at most: those beyond come by their time alone. */
const mostKnown = 10_000

/** Milliseconds that a job of an organisation is expected to take before one has ended, and how much of the mean the latest makes. */
const [firstMs, latest] = [1_000, 0.2]

/** Milliseconds after which a job that was put back is fetched at the soonest and the latest, called or not. */
const [leastMs, mostMs] = [500, 5 * 60_000]

/** What an organisation holds of a pool's slots in this process, and what waits for its turn. */
export class Holder {
  readonly org: string
  /** When each of its jobs under way began. */
  readonly #begun: number[] = []
  /** In slots, in the order in which they came. */
  readonly #waiters: Waiter[] = []
  /** In the queue, the next one first. */
  readonly line: Deferred[] = []
  #meanMs = firstMs

  constructor(org: string) {
    this.org = org
  }

  get running(): number {
    return this.#begun.length
  }

  /** Jobs that wait in slots and are not about to go back. */
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

  /** Waits in the slot for a turn; undefined when there is none in time, or the slot is needed. */
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

  /** Takes the job that waits in a slot and comes first. */
  next(): Waiter | undefined {
    const [first] = this.#waiters.toSorted((a, b) => a.job.priority - b.job.priority)
    if (first) this.#waiters.splice(this.#waiters.indexOf(first), 1)
    return first
  }

  /** Sends the job back that came last; false where none waits. */
  evict(): boolean {
    const last = this.#waiters.findLast(({ isLeaving }) => !isLeaving)
    if (last) this.#leave(last)
    return last !== undefined
  }

  /** Sends all back. */
  evictAll(): void {
    for (const waiter of [...this.#waiters]) this.#leave(waiter)
  }

  #leave(waiter: Waiter): void {
    const at = this.#waiters.indexOf(waiter)
    if (at === -1) return
    this.#waiters.splice(at, 1)
    waiter.leave()
  }

  /** Notes a job that goes back to the queue; returns in how many milliseconds its turn is likely to have come. */
  joinLine(id: number, priority: number, atOnce: number): number {
    const place = placeOf(this.line, { id, priority })
    if (this.line.length < mostKnown) this.line.splice(place, 0, { id, priority })
    const oldest = this.#begun[0] ?? performance.now()
    const eachMs = Math.max(this.#meanMs, performance.now() - oldest)
    const ms = (eachMs * (place + 1)) / atOnce
    return Math.round(Math.min(mostMs, Math.max(leastMs, ms)) * (1 + Math.random() / 10))
  }

  /** Strikes a job that was fetched, or is another process's. */
  leaveLine(id: number): void {
    const at = this.line.findIndex((one) => one.id === id)
    if (at !== -1) this.line.splice(at, 1)
  }
}

/** Where a job stands among those that wait: by what was asked for, then the older first. */
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
