import { setTimeout as pause } from 'node:timers/promises'
import { median } from './benchmark.ts'

export interface LoadResult {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Number of unexpected responses, and the first of them. */
  refused: number
  refusal: string
  /** Share of a core that the load generator used. Near 1, it limits the measurement. */
  share: number
}

/** Duration of the warm-up in milliseconds, which is not counted. */
const warmUpMs = 500

export class Tally {
  over = false
  #isCounting = false
  readonly #times: number[] = []
  #refused = 0
  #refusal = ''

  took(milliseconds: number): void {
    if (this.#isCounting) this.#times.push(milliseconds)
  }

  refused(what: () => string): void {
    if (this.#isCounting && this.#refused++ === 0) this.#refusal = what()
  }

  async count(seconds: number): Promise<LoadResult> {
    await pause(warmUpMs)
    this.#isCounting = true
    const [begun, usage] = [performance.now(), process.cpuUsage()]
    await pause(seconds * 1000)
    const took = (performance.now() - begun) / 1000
    const { user, system } = process.cpuUsage(usage)
    this.#isCounting = false
    this.over = true
    const times = this.#times.toSorted((a, b) => a - b)
    return {
      perSecond: times.length / took,
      p50: median(times),
      p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
      refused: this.#refused,
      refusal: this.#refusal,
      share: (user + system) / 1e6 / took,
    }
  }
}
