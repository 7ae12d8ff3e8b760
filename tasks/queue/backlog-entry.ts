import type { Backlog } from '#sql/jobs/backlogs.ts'

/** Longest and shortest time over which the rate of starts is measured, in milliseconds. */
const rateOverMs = 10_000
const rateLeastMs = 1_000

/**
 * An organisation’s backlog in a pool, as known to this process: the rows from the database, and changes that are not
 * written yet.
 */
export class BacklogEntry {
  readonly pool: string
  readonly orgId: string
  /** Times of the last read and the last use, from `performance.now()`. */
  readAt = Number.NEGATIVE_INFINITY
  wantedAt = 0
  #rows = new Map<number, number>()
  #unsent = new Map<number, number>()
  #sending = new Map<number, number>()
  #writtenAt = Number.NEGATIVE_INFINITY
  #starts: { at: number; begun: number }[] = []

  constructor(pool: string, orgId: string) {
    this.pool = pool
    this.orgId = orgId
  }

  /** Returns the number of jobs that wait at this priority or a more urgent priority. */
  waiting(priority = Number.POSITIVE_INFINITY): number {
    let sum = 0
    for (const counts of [this.#rows, this.#sending, this.#unsent]) {
      for (const [of, count] of counts) if (of <= priority) sum += count
    }
    return Math.max(0, sum)
  }

  count(priority: number, change: 1 | -1): void {
    this.#unsent.set(priority, (this.#unsent.get(priority) ?? 0) + change)
  }

  get isWritten(): boolean {
    return this.#unsent.size === 0 && this.#sending.size === 0
  }

  send(): Backlog[] {
    this.#sending = this.#unsent
    this.#unsent = new Map()
    const { pool, orgId: org_id } = this
    return [...this.#sending].map(([priority, waiting]) => ({ pool, org_id, priority, waiting, begun: 0 }))
  }

  written(): void {
    this.#writtenAt = performance.now()
    for (const [priority, count] of this.#sending) this.#rows.set(priority, (this.#rows.get(priority) ?? 0) + count)
    this.#sending = new Map()
  }

  failed(): void {
    for (const [priority, count] of this.#sending) this.#unsent.set(priority, (this.#unsent.get(priority) ?? 0) + count)
    this.#sending = new Map()
  }

  /** Uses rows that were read at `at`. Ignores rows that can be older than a change of this process. */
  read(rows: readonly Backlog[], at: number): void {
    if (at < this.#writtenAt || this.#sending.size > 0) return
    this.readAt = at
    this.#rows = new Map(rows.map(({ priority, waiting }) => [priority, waiting]))
    this.#noteStarts({ at, begun: rows.reduce((sum, { begun }) => sum + begun, 0) })
  }

  forgetUnsent(): void {
    this.#unsent.clear()
  }

  /** Recent starts per second. Undefined until the measured time reaches one second. */
  get startsPerSecond(): number | undefined {
    const [first, last] = [this.#starts[0], this.#starts.at(-1)]
    if (!first || !last || last.at - first.at < rateLeastMs) return undefined
    return ((last.begun - first.begun) * 1000) / (last.at - first.at)
  }

  #noteStarts(reading: { at: number; begun: number }): void {
    const before = this.#starts.at(-1)
    if (before && (reading.begun < before.begun || reading.at - before.at > rateOverMs)) this.#starts = []
    this.#starts.push(reading)
    while (this.#starts.length > 2 && reading.at - (this.#starts[1]?.at ?? reading.at) >= rateOverMs)
      this.#starts.shift()
  }
}
