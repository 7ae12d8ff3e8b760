/** Runs `work` every `ms` milliseconds. Runs do not overlap: a tick during a run is skipped. */
export function runEvery(ms: number, work: () => Promise<unknown>, onError: (error: Error) => void): Timer {
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

export interface Timer {
  stop(): Promise<void>
  unref(): Timer
}
