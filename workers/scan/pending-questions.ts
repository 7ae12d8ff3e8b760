/** How many answers of the engine may be outstanding while the contents are looked at further. */
const most = 4

/** Questions whose answers are waited for later. What one of them throws is thrown by the next call. */
export class PendingQuestions {
  readonly #open = new Set<Promise<void>>()
  #fault: { error: unknown } | null = null

  /** Asks, as soon as few enough answers are outstanding. */
  async add(question: () => Promise<void>): Promise<void> {
    while (this.#open.size >= most) await Promise.race(this.#open)
    this.#check()
    const asked: Promise<void> = question()
      .catch((error: unknown) => {
        this.#fault ??= { error }
      })
      .finally(() => this.#open.delete(asked))
    this.#open.add(asked)
  }

  /** Waits until all are answered. */
  async settle(): Promise<void> {
    await Promise.all(this.#open)
    this.#check()
  }

  #check(): void {
    if (this.#fault !== null) throw this.#fault.error
  }
}
