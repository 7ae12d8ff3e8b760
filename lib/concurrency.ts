/**
 * Runs `work` for each item with a concurrency of `atOnce`. The first failure, or `signal`, aborts the signal that all calls
 * are given; it is thrown when all of them have ended, so that none runs on behind the caller's clean-up.
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
      // A signal aborts once, so the first failure is the one thrown.
      failure.abort(error)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, runner))
  failure.signal.throwIfAborted()
}
