/**
 * Does `work` with each item, `atOnce` of them at a time. The first failure, or `signal`, aborts the signal that all the
 * work is given; it is thrown only when every lane has ended, so that nothing goes on behind the caller's clean-up.
 */
export async function inLanes<Item>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item, signal: AbortSignal) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const failure = new AbortController()
  const either = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal
  const queue = [...items]
  const lane = async () => {
    try {
      while (queue.length > 0) {
        either.throwIfAborted()
        await work(queue.shift() as Item, either)
      }
    } catch (error) {
      // Only the first of them counts: a signal aborts once.
      failure.abort(error)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, lane))
  failure.signal.throwIfAborted()
}
