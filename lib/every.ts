/** Starts `work` every `ms` milliseconds, never beside itself: a turn that comes while it is still at it is left out. */
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
  /** Starts no more turns; resolves when the one under way has ended. */
  stop(): Promise<void>
  /** Lets the process end while it is set. */
  unref(): Timer
}
