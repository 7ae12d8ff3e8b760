/** A rate limit with an initial amount and an amount that is added per second. */
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

  /** Subtracts the amount and returns true if the amount is available. */
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
