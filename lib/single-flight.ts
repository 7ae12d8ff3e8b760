export class SingleFlight<T> {
  readonly #calls = new Map<string, Promise<T>>()

  underWay(key: string): Promise<T> | undefined {
    return this.#calls.get(key)
  }

  share(key: string, call: () => Promise<T>): Promise<T> {
    const before = this.#calls.get(key)
    if (before !== undefined) return before
    const own = call().finally(() => this.#calls.delete(key))
    this.#calls.set(key, own)
    return own
  }
}
