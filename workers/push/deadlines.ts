/** What must have ended by a time of its own. */
interface Deadline {
  readonly at: number
  readonly late: () => void
}

/** Ends what takes too long, looking a few times in that span: a timer for each push would cost more than 3 µs of it. */
export class Deadlines {
  readonly #afterMs: number
  readonly #timer: NodeJS.Timeout
  /** In the order of their times, as all have the same span. */
  readonly #all = new Set<Deadline>()

  constructor(afterMs: number) {
    this.#afterMs = afterMs
    this.#timer = setInterval(() => this.#look(), Math.ceil(afterMs / 10)).unref()
  }

  /** Calls `late` unless the deadline is lifted in time. */
  set(late: () => void): Deadline {
    const deadline = { at: performance.now() + this.#afterMs, late }
    this.#all.add(deadline)
    return deadline
  }

  lift(deadline: Deadline): void {
    this.#all.delete(deadline)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const now = performance.now()
    for (const deadline of this.#all) {
      if (deadline.at > now) return
      this.#all.delete(deadline)
      deadline.late()
    }
  }
}
