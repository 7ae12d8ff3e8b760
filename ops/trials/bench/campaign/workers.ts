import { setTimeout as pause } from 'node:timers/promises'
import type { PoolName } from '#tasks/pools.ts'
import { type Process, startWorker } from '../product.ts'

/** Worker processes by pool. `killEvery` kills one again and again like a crash, and starts another. */
export class BenchmarkWorkers {
  readonly #ends: AsyncDisposableStack
  readonly #settings: Record<string, string>
  readonly #running = new Map<PoolName, Process>()

  constructor(ends: AsyncDisposableStack, settings: Record<string, string>) {
    this.#ends = ends
    this.#settings = settings
  }

  start(pool: PoolName): void {
    this.#running.set(pool, startWorker(this.#ends, this.#settings, pool))
  }

  get pids(): Record<string, number> {
    return Object.fromEntries([...this.#running].map(([pool, { pid }]) => [pool, pid]))
  }

  /** Kills the worker every `seconds` until `signal` is aborted. Returns the number of kills. */
  async killEvery(pool: PoolName, seconds: number, signal: AbortSignal): Promise<number> {
    for (let kills = 0; ; kills++) {
      await pause(seconds * 1_000, undefined, { signal }).catch(() => {})
      if (signal.aborted) return kills
      await this.#running.get(pool)?.kill()
      this.start(pool)
    }
  }
}
