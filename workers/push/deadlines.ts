interface Deadline {
  readonly at: number
  readonly late: () => void
}

/**
 * Ends operations that take too long, with a few checks per timeout period. A timer for each push would take more than
 * 3 µs.
 */
export class Deadlines {
  readonly #afterMs: number
  readonly #timer: NodeJS.Timeout
  /** Sorted by time, because all deadlines have the same duration. */
  readonly #all = new Set<Deadline>()

  constructor(afterMs: number) {
    this.#afterMs = afterMs
    this.#timer = setInterval(() => this.#look(), Math.ceil(afterMs / 10)).unref()
  }

  /** Calls `late` unless the deadline is removed before. */
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
