import { LRUCache } from 'lru-cache'
import { watchedGauge } from '../telemetry/metrics.ts'

export interface BreakerSettings {
  after: number
  firstMs: number
  mostMs: number
}

const usual: BreakerSettings = { after: 5, firstMs: 15_000, mostMs: 60_000 }

/** Maximum number of servers in memory. A server that was removed is treated like a new server. */
const mostKnown = 10_000

interface Silence {
  timeouts: number
  openUntil: number
}

const open = watchedGauge(
  'millrace_outbound_open_circuits',
  'Customer servers that timed out several times in a row. Millrace sends them requests only occasionally.',
  [],
)

/**
 * Pauses requests to servers that are not responding. A server is identified by its origin and the owner of the request
 * (an organisation, a credential or a webhook endpoint). So the URLs of one owner on a shared host do not affect other
 * owners.
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

  /**
   * Returns the delay in milliseconds before the next request to a server, or 0 if it can be sent now. After each
   * pause, one request is sent.
   */
  waitMs(server: string): number {
    const silence = this.#silent.get(server)
    if (!silence || silence.timeouts < this.#settings.after) return 0
    const now = Date.now()
    if (silence.openUntil > now) return silence.openUntil - now
    silence.openUntil = now + this.#settings.firstMs
    return 0
  }

  answered(server: string): void {
    this.#silent.delete(server)
  }

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
