/** Duration in milliseconds for which an organisation comes last after its work timed out. */
const slowMs = 600_000

type Waiter = PromiseWithResolvers<void>

/**
 * Shares places among organisations in turn, so that queued work of one organisation does not block the others.
 * Organisations whose work timed out come last for a while and never use all places.
 */
export class FairQueue {
  readonly #places: number
  readonly #running = new Map<string, number>()
  /** Waiting callers by organisation. The organisation that has waited longest since its last turn comes first. */
  readonly #waiting = new Map<string, Waiter[]>()
  readonly #slowUntil = new Map<string, number>()

  constructor(places: number) {
    this.#places = places
  }

  /** Waits for a place and returns it. Dispose of the place to release it. Throws after `giveUp` was called. */
  async take(orgId: string): Promise<Disposable> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.set(orgId, [...(this.#waiting.get(orgId) ?? []), turn])
    this.#next()
    await turn.promise
    return { [Symbol.dispose]: () => this.#leave(orgId) }
  }

  slow(orgId: string): void {
    this.#slowUntil.set(orgId, performance.now() + slowMs)
  }

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

  /** Returns the organisation whose turn is next; undefined if none can have a place. */
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
