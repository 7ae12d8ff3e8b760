import type { ClaimedRow } from './database.ts'

/** Rows that are sent one after another: one row without a key, or the next rows of a key. */
export type Chain = ClaimedRow[]

/** Claimed rows of one operation. A slow or limited operation uses only its own places. */
export interface Lane {
  operation: string
  queue: Chain[]
  active: number
  /** Number of claimed rows, including those that are being sent. */
  held: number
  /** Number of concurrent requests, which falls when Millrace rejects requests because of load. */
  limit: number
  /** Time until which no row is sent, by the clock of `performance.now()`. */
  pausedUntil: number
}

export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  readonly #concurrency: number

  constructor(concurrency: number) {
    this.#concurrency = concurrency
  }

  of(operation: string): Lane {
    let lane = this.#lanes.get(operation)
    if (!lane) {
      lane = { operation, queue: [], active: 0, held: 0, limit: this.#concurrency, pausedUntil: 0 }
      this.#lanes.set(operation, lane)
    }
    return lane
  }

  all(): Iterable<Lane> {
    return this.#lanes.values()
  }

  get held(): number {
    return Array.from(this.#lanes.values()).reduce((sum, { held }) => sum + held, 0)
  }

  /** Returns the operations that have enough claimed rows, or pause. */
  closed(now: number): string[] {
    return Array.from(this.#lanes.values())
      .filter(({ held, limit, pausedUntil }) => pausedUntil > now || held >= Math.max(1, Math.floor(limit) * 2))
      .map(({ operation }) => operation)
  }

  /** Halves the requests of an operation, and pauses it. */
  slowDown(lane: Lane, pauseMs: number, now: number): void {
    lane.limit = Math.max(1, lane.limit / 2)
    lane.pausedUntil = Math.max(lane.pausedUntil, now + pauseMs)
  }

  /** Raises the requests of an operation slowly after each success. */
  speedUp(lane: Lane): void {
    lane.limit = Math.min(this.#concurrency, lane.limit + 1 / Math.max(1, lane.limit))
  }
}

/** Returns the rows as chains. The rows of a key are in one chain, in their order. */
export function toChains(rows: readonly ClaimedRow[]): Chain[] {
  const byKey = new Map<string, Chain>()
  const chains: Chain[] = []
  for (const row of rows) {
    const before = row.key === null ? undefined : byKey.get(row.key)
    if (before) {
      before.push(row)
      continue
    }
    const chain = [row]
    chains.push(chain)
    if (row.key !== null) byKey.set(row.key, chain)
  }
  return chains
}
