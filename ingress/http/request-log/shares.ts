export class Shares {
  #second = 0
  readonly #taken = new Map<string, number>()

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
