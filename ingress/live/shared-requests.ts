interface SharedRequest<T> {
  answer: Promise<T>
  abandon: AbortController
  waiting: number
}

/**
 * Sends one request for all callers that need the same response. The request is aborted when no caller needs the
 * response any more.
 */
export class SharedRequests<T> {
  readonly #underWay = new Map<string, SharedRequest<T>>()

  /**
   * Returns the response for a key. Calls `make` if no request with this key is in progress. Rejects with the reason of
   * the signal.
   */
  async join(key: string, signal: AbortSignal, make: (abandoned: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const shared = this.#underWay.get(key) ?? this.#begin(key, make)
    shared.waiting++
    try {
      return await orAborted(shared.answer, signal)
    } finally {
      if (--shared.waiting === 0) {
        this.#forget(key, shared)
        shared.abandon.abort()
      }
    }
  }

  #begin(key: string, make: (abandoned: AbortSignal) => Promise<T>): SharedRequest<T> {
    const abandon = new AbortController()
    const answer = make(abandon.signal)
    const shared = { answer, abandon, waiting: 0 }
    this.#underWay.set(key, shared)
    const settled = () => this.#forget(key, shared)
    answer.then(settled, settled)
    return shared
  }

  #forget(key: string, shared: SharedRequest<T>): void {
    if (this.#underWay.get(key) === shared) this.#underWay.delete(key)
  }
}

/** Returns the settled value. Throws the reason of the signal if it is aborted first. */
async function orAborted<T>(settled: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const give = () => reject(signal.reason)
  signal.addEventListener('abort', give, { once: true })
  try {
    return await Promise.race([settled, promise])
  } finally {
    signal.removeEventListener('abort', give)
  }
}
