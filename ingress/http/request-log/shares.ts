/** Counts by name what was taken in the second that runs: names of seconds that are over are forgotten. */
export class Shares {
  #second = 0
  readonly #taken = new Map<string, number>()

  /** Takes one of `most` that a name has in a second; false when they are taken. */
  take(name: string, most: number, now = performance.now()): boolean {
    const second = Math.floor(now / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#taken.clear()
    }
    const taken = this.#taken.get(name) ?? 0
    if (taken >= most) return false
    this.#taken.set(name, taken + 1)
    return true
  }
}
