/** Runs `work` every `ms` milliseconds, one run at a time: a tick during a run is skipped. */
export function every(ms: number, work: () => Promise<unknown>, onError: (error: Error) => void): Timer {
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= work()
      .then(() => {}, onError)
      .finally(() => {
        running = undefined
      })
  }, ms)
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
    unref() {
      timer.unref()
      return this
    },
  }
}

/** A timer of `every`. */
export interface Timer {
  /** Starts no more runs; resolves when the current one has ended. */
  stop(): Promise<void>
  /** Lets the process end while it is set. */
  unref(): Timer
}
