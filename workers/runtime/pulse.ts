export const sharedPulse = () => new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT)

/** Returns the time in milliseconds since a moment of the system’s monotonic clock, which all threads share. */
export const sinceMs = (moment: bigint) => Number(process.hrtime.bigint() - moment) / 1e6

/** State that the event loop and the heartbeat thread share. A stalled event loop would not read messages. */
export class Pulse {
  readonly #cells: BigInt64Array<SharedArrayBuffer>

  constructor(shared: SharedArrayBuffer) {
    this.#cells = new BigInt64Array(shared)
  }

  /** Records activity of the event loop. Call it every `everyMs` milliseconds. */
  tick(everyMs: number): void {
    const before = this.ticked
    const now = process.hrtime.bigint()
    const late = now - before - BigInt(Math.round(everyMs * 1e6))
    if (before > 0n && late > Atomics.load(this.#cells, 1)) Atomics.store(this.#cells, 1, late)
    Atomics.store(this.#cells, 0, now)
  }

  /** Time of the last activity of the event loop, in nanoseconds of the system’s monotonic clock. */
  get ticked(): bigint {
    return Atomics.load(this.#cells, 0)
  }

  /** Returns the maximum delay of the event loop in milliseconds since the last call. A current stall counts. */
  takeDelay(): number {
    const underWay = sinceMs(this.ticked) - 1_000
    return Math.max(Number(Atomics.exchange(this.#cells, 1, 0n)) / 1e6, underWay, 0)
  }

  beaten(moment: bigint): void {
    Atomics.store(this.#cells, 2, moment)
  }

  get quietMs(): number {
    return sinceMs(Atomics.load(this.#cells, 2))
  }

  /** True if other workers can take the jobs of the process, because its event loop stalled. */
  get isFenced(): boolean {
    return Atomics.load(this.#cells, 3) === 1n
  }

  set isFenced(value: boolean) {
    Atomics.store(this.#cells, 3, value ? 1n : 0n)
  }
}
