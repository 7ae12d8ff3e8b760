import { LRUCache } from 'lru-cache'
import { watchedGauge } from './telemetry/metrics.ts'

/** When a server is left alone. */
export interface BreakerSettings {
  /** Time-outs in a row. */
  after: number
  /** Milliseconds for which it is left alone first, and at most: each time-out that follows doubles it. */
  firstMs: number
  mostMs: number
}

const usual: BreakerSettings = { after: 5, firstMs: 15_000, mostMs: 60_000 }

/** Servers that are known at once, at most: what is forgotten is asked like a new one. */
const mostKnown = 10_000

/** A server that has not answered lately. */
interface Silence {
  timeouts: number
  openUntil: number
}

const open = watchedGauge(
  'millrace_outbound_open_circuits',
  'Servers of customers that have timed out several times in a row, and are asked only now and then.',
  [],
)

/**
 * Leaves servers alone that do not answer. A server is known by its origin and by who asks (an organisation, a credential or a webhook
 * endpoint), so that nobody's addresses on a shared host close it for others.
 */
export class OriginBreaker {
  readonly #settings: BreakerSettings
  readonly #silent = new LRUCache<string, Silence>({ max: mostKnown })
  readonly #unwatch: () => void

  constructor(settings: Partial<BreakerSettings> = {}) {
    this.#settings = { ...usual, ...settings }
    this.#unwatch = open.watch(() => {
      const now = Date.now()
      return [{ labels: {}, value: [...this.#silent.values()].filter(({ openUntil }) => openUntil > now).length }]
    })
  }

  /** Milliseconds for which a server is to be left alone; 0 for one that may be asked. After each pause one request may. */
  waitMs(server: string): number {
    const silence = this.#silent.get(server)
    if (!silence || silence.timeouts < this.#settings.after) return 0
    const now = Date.now()
    if (silence.openUntil > now) return silence.openUntil - now
    silence.openUntil = now + this.#settings.firstMs
    return 0
  }

  /** Notes that a server has answered, whatever it said. */
  answered(server: string): void {
    this.#silent.delete(server)
  }

  /** Notes that a server did not answer in time. */
  timedOut(server: string): void {
    const { after, firstMs, mostMs } = this.#settings
    const silence = this.#silent.get(server) ?? { timeouts: 0, openUntil: 0 }
    silence.timeouts++
    const pause = Math.min(mostMs, firstMs * 2 ** Math.min(20, silence.timeouts - after))
    if (silence.timeouts >= after) silence.openUntil = Date.now() + pause
    this.#silent.set(server, silence)
  }

  close(): void {
    this.#unwatch()
    this.#silent.clear()
  }
}
