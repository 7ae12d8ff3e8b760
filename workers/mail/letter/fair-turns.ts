/** Milliseconds that an organisation whose work ran out of time comes after all others. */
const slowMs = 600_000

/** A piece of work that waits for its turn. */
type Waiter = PromiseWithResolvers<void>

/**
 * Shares a few places among organisations: round robin, so that what one of them has waiting holds up none of the others. Those
 * whose work ran out of time come last for a while, and never have all places together.
 */
export class FairQueue {
  readonly #places: number
  readonly #running = new Map<string, number>()
  /** By organisation; that whose turn was longest ago comes first. */
  readonly #waiting = new Map<string, Waiter[]>()
  readonly #slowUntil = new Map<string, number>()

  constructor(places: number) {
    this.#places = places
  }

  /** Waits for a place, until it is disposed of; rejects when all are given up. */
  async take(orgId: string): Promise<Disposable> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.set(orgId, [...(this.#waiting.get(orgId) ?? []), turn])
    this.#next()
    await turn.promise
    return { [Symbol.dispose]: () => this.#leave(orgId) }
  }

  /** Notes that an organisation's work ran out of time. */
  slow(orgId: string): void {
    this.#slowUntil.set(orgId, performance.now() + slowMs)
  }

  /** Rejects all that wait. */
  giveUp(reason: Error): void {
    for (const { reject } of [...this.#waiting.values()].flat()) reject(reason)
    this.#waiting.clear()
  }

  #leave(orgId: string): void {
    const left = (this.#running.get(orgId) ?? 1) - 1
    if (left > 0) this.#running.set(orgId, left)
    else this.#running.delete(orgId)
    this.#next()
  }

  #next(): void {
    for (let orgId = this.#first(); orgId !== undefined; orgId = this.#first()) {
      const [turn, ...rest] = this.#waiting.get(orgId) ?? []
      this.#waiting.delete(orgId)
      if (rest.length > 0) this.#waiting.set(orgId, rest)
      this.#running.set(orgId, (this.#running.get(orgId) ?? 0) + 1)
      turn?.resolve()
    }
  }

  /** Whose turn it is; undefined when nobody waits who may have a place. */
  #first(): string | undefined {
    const taken = sum(this.#running.values())
    if (taken >= this.#places) return undefined
    const slowOnes = sum([...this.#running].map(([orgId, count]) => (this.#isSlow(orgId) ? count : 0)))
    const maySlow = slowOnes < Math.max(1, this.#places - 1)
    const ranked = [...this.#waiting.keys()].map((orgId) => ({ orgId, rank: this.#rank(orgId) }))
    const [first] = ranked
      .filter(({ rank }) => maySlow || rank <= this.#places)
      .toSorted((one, other) => one.rank - other.rank)
    return first?.orgId
  }

  /** How many places an organisation has; more than there are for those that come last. */
  #rank(orgId: string): number {
    return (this.#running.get(orgId) ?? 0) + (this.#isSlow(orgId) ? this.#places + 1 : 0)
  }

  #isSlow(orgId: string): boolean {
    const until = this.#slowUntil.get(orgId)
    if (until === undefined || until > performance.now()) return until !== undefined
    this.#slowUntil.delete(orgId)
    return false
  }
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((all, count) => all + count, 0)
