import type { QueryResult } from 'pg'

/** Milliseconds after which an idle slot asks again for a job of which no notification came. */
export const pollMs = 2_000

/**
 * What the slots of a pool share that has nothing to do: each of them asks for a job every `pollMs`, but one question that finds
 * none answers them all until a notification comes, or `pollMs` have passed since it was sent. Then one slot is woken to ask, so
 * that no job waits longer for having been missed by a question than it would for one slot alone. While there are jobs, each asks.
 */
export class SharedIdle {
  readonly #wake: () => void
  /** When the question was sent whose answer is shared. */
  #emptyAt = Number.NEGATIVE_INFINITY
  /** The last answer was that there is no job, and no notification came: who asks does so for the others, too. */
  #isIdle = true
  #underWay: PromiseWithResolvers<void> | undefined
  /** Jobs that no notification told of were found, perhaps: as long as there are more, one slot after another is woken. */
  #searches = false
  /** How often a notification came; how often there was any reason to ask. */
  #calls = 0
  #reasons = 0
  #timer: NodeJS.Timeout | undefined

  /** `wake` has one idle slot ask at once. */
  constructor(wake: () => void) {
    this.#wake = wake
  }

  /** Jobs were added: who is told may ask, and an answer under way may not tell of them. */
  notified(): void {
    this.#calls++
    this.#isIdle = false
    this.changed()
    this.#underWay?.resolve()
    this.#underWay = undefined
  }

  /** Jobs may have come back to the queue, of which nobody is told. */
  changed(): void {
    this.#reasons++
    this.#emptyAt = Number.NEGATIVE_INFINITY
  }

  /** A slot's question for a job: undefined where the queue is known to have none. `ask` resolves to undefined where it was not asked. */
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
