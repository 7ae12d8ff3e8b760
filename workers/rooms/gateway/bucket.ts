/** What may be spent at once, and how much of it comes back each second. */
export class Bucket {
  readonly #perSecond: number
  readonly #most: number
  #level: number
  #at = performance.now()

  constructor(perSecond: number, most: number) {
    this.#perSecond = perSecond
    this.#most = most
    this.#level = most
  }

  /** Whether so much can be spent now. */
  has(amount: number): boolean {
    const now = performance.now()
    this.#level = Math.min(this.#most, this.#level + ((now - this.#at) / 1000) * this.#perSecond)
    this.#at = now
    return this.#level >= amount
  }

  spend(amount: number): void {
    this.#level -= amount
  }
}
