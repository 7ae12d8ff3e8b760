import type { QueryResult } from 'pg'

export const pollMs = 2_000

/**
 * State that idle slots of a pool share. Each slot queries for a job every `pollMs`. One empty result counts for all
 * slots until a notification arrives or `pollMs` have passed since the query was sent. Then one slot queries again. A
 * job that a query missed waits no longer than it would with a single slot. While there are jobs, each slot queries.
 */
export class SharedIdle {
  readonly #wake: () => void
  #emptyAt = Number.NEGATIVE_INFINITY
  /** True if the last result was empty and no notification arrived. One query is then sent for all slots. */
  #isIdle = true
  #underWay: PromiseWithResolvers<void> | undefined
  /** True if jobs without a notification may exist. While more jobs exist, the slots wake up one after another. */
  #searches = false
  #calls = 0
  #reasons = 0
  #timer: NodeJS.Timeout | undefined

  /** `wake` makes one idle slot query immediately. */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** Call this after jobs were added. Slots can query, and a query in progress may not include the new jobs. */
  notified(): void {
    this.#calls++
    this.#isIdle = false
    this.changed()
    this.#underWay?.resolve()
    this.#underWay = undefined
  }

  /** Call this when jobs may have returned to the queue without a notification. */
  changed(): void {
    this.#reasons++
    this.#emptyAt = Number.NEGATIVE_INFINITY
  }

  /**
   * Queries for a job for a slot. Returns undefined if the queue is known to be empty. `ask` resolves to undefined if
   * no query was sent.
   */
  async fetch(ask: () => Promise<QueryResult | undefined>): Promise<QueryResult | undefined> {
    for (;;) {
      if (performance.now() - this.#emptyAt < pollMs) return undefined
      if (!this.#underWay) break
      await this.#underWay.promise
    }
    const mine = Promise.withResolvers<void>()
    if (this.#isIdle) this.#underWay = mine
    const [calls, reasons, sentAt] = [this.#calls, this.#reasons, performance.now()]
    try {
      const answer = await ask()
      if (answer?.rowCount) this.#found()
      else if (answer && calls === this.#calls) this.#foundNone(sentAt, reasons === this.#reasons)
      return answer
    } finally {
      if (this.#underWay === mine) this.#underWay = undefined
      mine.resolve()
    }
  }

  #found(): void {
    this.#isIdle = false
    this.#emptyAt = Number.NEGATIVE_INFINITY
    if (this.#searches) this.#wake()
  }

  #foundNone(sentAt: number, isShared: boolean): void {
    this.#isIdle = true
    this.#searches = false
    const left = sentAt + pollMs - performance.now()
    if (!isShared || sentAt < this.#emptyAt || left <= 0) return
    this.#emptyAt = sentAt
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#due(), left).unref()
  }

  #due(): void {
    this.#emptyAt = Number.NEGATIVE_INFINITY
    this.#searches = true
    this.#wake()
  }
}
