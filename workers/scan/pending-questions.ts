const most = 4

/** Engine requests whose results are awaited later. If one fails, the next call throws its error. */
export class PendingQuestions {
  readonly #open = new Set<Promise<void>>()
  #fault: { error: unknown } | null = null

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

  async settle(): Promise<void> {
    await Promise.all(this.#open)
    this.#check()
  }

  #check(): void {
    if (this.#fault !== null) throw this.#fault.error
  }
}
