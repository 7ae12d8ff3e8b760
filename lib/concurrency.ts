/**
 * Runs `work` for each item, with up to `atOnce` items at the same time. The first error, or `signal`, aborts the
 * signal that all calls receive. The error is thrown after all calls have ended, so no call is still running when the
 * caller cleans up.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const failure = new AbortController()
  const either = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal
  const queue = [...items]
  const runner = async () => {
    try {
      while (queue.length > 0) {
        either.throwIfAborted()
        await work(queue.shift() as Item, either)
      }
    } catch (error) {
      // A signal aborts only once, so the first error is the one that is thrown.
      failure.abort(error)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, runner))
  failure.signal.throwIfAborted()
}
