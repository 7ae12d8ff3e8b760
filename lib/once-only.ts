/** Has `work` done once, however often it is asked for: all who ask get the same answer. */
export function onceOnly<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined
  return () => {
    done ??= work()
    return done
  }
}
