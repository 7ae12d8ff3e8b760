/** Limits the number of tasks that run at the same time. */
export class Slots {
  readonly #most: number
  readonly #running = new Set<Promise<void>>()

  constructor(most: number) {
    this.#most = most
  }

  /** Starts a task as soon as a slot is free. The task must not throw. */
  async start(task: () => Promise<void>): Promise<void> {
    while (this.#running.size >= this.#most) await Promise.race(this.#running)
    const running: Promise<void> = task().finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Waits until no task runs. */
  async idle(): Promise<void> {
    await Promise.all(this.#running)
  }
}
