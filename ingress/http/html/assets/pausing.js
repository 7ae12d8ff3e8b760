// Pauses and resumes the upload of a file in parts.

/** Sends a file until it is sent, also after pauses. `show` is called when the state changes. */
export class Pausing {
  #ending = new AbortController()
  #show
  #resumed = Promise.withResolvers()
  isPaused = false
  isStopped = false

  constructor(show) {
    this.#show = show
  }

  toggle() {
    this.isPaused = !this.isPaused
    if (this.isPaused) {
      this.#resumed = Promise.withResolvers()
      this.#ending.abort()
    } else {
      this.#ending = new AbortController()
      this.#resumed.resolve(undefined)
    }
    this.#show()
  }

  stop() {
    this.isStopped = true
    this.#ending.abort()
    this.#resumed.resolve(undefined)
  }

  /** Calls `attempt` with a signal. Calls it again after each pause. */
  async run(attempt) {
    for (;;) {
      const { signal } = this.#ending
      try {
        signal.throwIfAborted()
        return await attempt(signal)
      } catch (error) {
        if (this.isStopped || !signal.aborted) throw error
        await this.#resumed.promise
        if (this.isStopped) throw error
      }
    }
  }
}
