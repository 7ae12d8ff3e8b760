import { setTimeout as pause } from 'node:timers/promises'
import type { SinkCounts } from './sink.ts'

export interface StreamTimes {
  messages: number
  /** Milliseconds from the request to the arrival at the sink. */
  p50: number
  p99: number
  /** Milliseconds from the request to the response. */
  acceptedP99: number
}

export type Post = (path: string, body: object) => Promise<{ id: string }>

/** Sends transactional messages to `t1@…`, `t2@…` at a fixed rate, and measures how long they take to the sink. */
export class TransactionalStream {
  readonly #post: Post
  readonly #counts: () => Promise<SinkCounts>
  readonly #perSecond: number
  readonly #begun = new Map<number, number>()
  readonly #accepted = new Map<number, number>()

  constructor(post: Post, counts: () => Promise<SinkCounts>, perSecond: number) {
    this.#post = post
    this.#counts = counts
    this.#perSecond = perSecond
  }

  /** Sends until `signal` is aborted, then waits until all messages have arrived. */
  async run(signal: AbortSignal): Promise<StreamTimes> {
    const first = this.#begun.size + 1
    const posted: Promise<unknown>[] = []
    const begun = performance.now()
    for (let sent = 1; !signal.aborted; sent++) {
      posted.push(this.#send())
      const due = begun + (sent * 1_000) / this.#perSecond
      await pause(Math.max(0, due - performance.now()), undefined, { signal }).catch(() => {})
    }
    await Promise.all(posted)
    return await this.#timesFrom(first)
  }

  async #send(): Promise<void> {
    const number = this.#begun.size + 1
    const begun = Date.now()
    this.#begun.set(number, begun)
    await this.#post('/messages', {
      stream: 'transactional',
      from: { email: 'orders@sender.example', name: 'Orders' },
      to: `t${number}@rcpt.example`,
      subject: `Order ${number}`,
      html: '<p>Your order is on its way.</p>',
      text: 'Your order is on its way.',
    })
    this.#accepted.set(number, Date.now() - begun)
  }

  async #timesFrom(first: number): Promise<StreamTimes> {
    for (;;) {
      const { arrivals } = await this.#counts()
      if (arrivals.length < this.#begun.size) {
        await pause(100)
        continue
      }
      const since = arrivals.filter(([number]) => number >= first)
      const times = since.map(([number, at]) => at - (this.#begun.get(number) ?? Number.NaN))
      const accepted = since.map(([number]) => this.#accepted.get(number) ?? Number.NaN)
      return {
        messages: times.length,
        p50: quantile(times, 0.5),
        p99: quantile(times, 0.99),
        acceptedP99: quantile(accepted, 0.99),
      }
    }
  }
}

function quantile(times: readonly number[], share: number): number {
  const sorted = times.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
