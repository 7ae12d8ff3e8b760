/** Runs at most one call per key at the same time. Concurrent callers share its result. */
export class SingleFlight<T> {
  readonly #calls = new Map<string, Promise<T>>()

  /** Returns the running call for a key, if any. */
  underWay(key: string): Promise<T> | undefined {
    return this.#calls.get(key)
  }

  /** Returns the result of the running call for a key. Starts `call` if there is none. */
  share(key: string, call: () => Promise<T>): Promise<T> {
    const before = this.#calls.get(key)
    if (before !== undefined) return before
    const own = call().finally(() => this.#calls.delete(key))
    this.#calls.set(key, own)
    return own
  }
}
