/** Memory for a pulse, which its two threads share. */
export const sharedPulse = () => new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT)

/** Milliseconds since a moment of the system's monotonic clock, which all threads share. */
export const sinceMs = (moment: bigint) => Number(process.hrtime.bigint() - moment) / 1e6

/** What the event loop and the thread that beats tell each other without a message, which a stalled loop would not read. */
export class Pulse {
  readonly #cells: BigInt64Array<SharedArrayBuffer>

  constructor(shared: SharedArrayBuffer) {
    this.#cells = new BigInt64Array(shared)
  }

  /** The event loop goes on; it is to say so every `everyMs`. */
  tick(everyMs: number): void {
    const before = this.ticked
    const now = process.hrtime.bigint()
    const late = now - before - BigInt(Math.round(everyMs * 1e6))
    if (before > 0n && late > Atomics.load(this.#cells, 1)) Atomics.store(this.#cells, 1, late)
    Atomics.store(this.#cells, 0, now)
  }

  /** When the event loop last went on, in nanoseconds of the system's monotonic clock. */
  get ticked(): bigint {
    return Atomics.load(this.#cells, 0)
  }

  /** How late the event loop was at most since this was last asked, in milliseconds, a stall under way included. */
  takeDelay(): number {
    const underWay = sinceMs(this.ticked) - 1_000
    return Math.max(Number(Atomics.exchange(this.#cells, 1, 0n)) / 1e6, underWay, 0)
  }

  /** A beat that was sent at `moment` has been taken by Postgres. */
  beaten(moment: bigint): void {
    Atomics.store(this.#cells, 2, moment)
  }

  /** Milliseconds since the last beat that Postgres has taken was sent. */
  get quietMs(): number {
    return sinceMs(Atomics.load(this.#cells, 2))
  }

  /** Whether what the process holds is open to others, as its event loop has stalled. */
  get isFenced(): boolean {
    return Atomics.load(this.#cells, 3) === 1n
  }

  set isFenced(value: boolean) {
    Atomics.store(this.#cells, 3, value ? 1n : 0n)
  }
}
