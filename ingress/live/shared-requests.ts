/** A request that is under way, for all who want its answer. */
interface SharedRequest<T> {
  answer: Promise<T>
  abandon: AbortController
  waiting: number
}

/** Requests that are made once for all who want the same answer, and given up when the last of those has left. */
export class SharedRequests<T> {
  readonly #underWay = new Map<string, SharedRequest<T>>()

  /** The answer of the request with that key, which `make` begins if none is under way; rejects with the signal's reason. */
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

/** What is settled, unless the signal is aborted before: then its reason is thrown. */
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
