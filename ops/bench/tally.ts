import { setTimeout as pause } from 'node:timers/promises'
import { median } from './benchmark.ts'

/** What a load generator has seen. */
export interface LoadResult {
  perSecond: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** Answers other than wanted, and the first of them. */
  refused: number
  refusal: string
  /** The generator's own share of a core: near 1, it would be what is measured. */
  share: number
}

/** Milliseconds at the start that are not counted. */
const warmUpMs = 500

/** Counts the answers that a load generator gets, once it has warmed up, until its time is over. */
export class Tally {
  over = false
  #isCounting = false
  readonly #times: number[] = []
  #refused = 0
  #refusal = ''

  /** Notes a good answer, after so many milliseconds. */
  took(milliseconds: number): void {
    if (this.#isCounting) this.#times.push(milliseconds)
  }

  /** Notes an answer that is none of those wanted. */
  refused(what: () => string): void {
    if (this.#isCounting && this.#refused++ === 0) this.#refusal = what()
  }

  /** Counts for so many seconds; then all is over. */
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
