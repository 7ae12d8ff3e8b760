/** At most one call under way for each key: who asks meanwhile shares what it comes to. */
export class SingleFlight<T> {
  readonly #calls = new Map<string, Promise<T>>()

  /** The call under way for a key, if there is one. */
  underWay(key: string): Promise<T> | undefined {
    return this.#calls.get(key)
  }

  /** What the call under way for a key comes to, or this one where there is none. */
  share(key: string, call: () => Promise<T>): Promise<T> {
    const before = this.#calls.get(key)
    if (before !== undefined) return before
    const own = call().finally(() => this.#calls.delete(key))
    this.#calls.set(key, own)
    return own
  }
}
