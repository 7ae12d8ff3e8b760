/** Remembers the answer of `ask` for `freshMs`; while it is being asked, all wait for the same. A failure is forgotten at once. */
export function cachedFor<T>(ask: () => Promise<T>, freshMs: number): () => Promise<T> {
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
