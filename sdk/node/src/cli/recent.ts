/** The last IDs, up to a number. */
export class Recent {
  readonly #most: number
  readonly #ids = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  /** Adds an ID. Returns false if it is one of the last IDs. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false
    this.#ids.add(id)
    const [oldest] = this.#ids
    if (this.#ids.size > this.#most && oldest !== undefined) this.#ids.delete(oldest)
    return true
  }
}
