/** Caches the result of `ask` for `freshMs` milliseconds. Concurrent callers share one call. Errors are not cached. */
export function cacheFor<T>(ask: () => Promise<T>, freshMs: number): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    if (answer) return answer
    const asked = ask()
    answer = asked
    const forget = () => {
      if (answer === asked) answer = undefined
    }
    asked.then(() => setTimeout(forget, freshMs).unref(), forget)
    return asked
  }
}
