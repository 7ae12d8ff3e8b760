import { describe } from '#lib/errors.ts'
import { every } from '#lib/every.ts'
import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as connections from '#sql/email/connections.ts'

/** Milliseconds that a lease holds, and how often it is renewed. */
export const leaseMs = 60_000
const renewMs = 15_000

/** The leases of a process's connections: renewed while they are held, and aborted when one is lost. */
export class Leases {
  readonly #held = new Map<string, AbortController>()
  readonly #db: DatabasePool
  readonly #timer

  constructor(db: DatabasePool) {
    this.#db = db
    this.#timer = every(
      renewMs,
      () => this.#renew(),
      (error) => log.debug({ err: describe(error) }, 'leases could not be renewed'),
    ).unref()
  }

  /** Holds a connection's lease; the signal aborts when it is lost. */
  hold(id: string): AbortSignal {
    const controller = new AbortController()
    this.#held.set(id, controller)
    return controller.signal
  }

  /** Holds it no more. */
  drop(id: string): void {
    this.#held.delete(id)
  }

  async #renew(): Promise<void> {
    const asked = [...this.#held.keys()]
    if (asked.length === 0) return
    const kept = await connections.renew(this.#db, asked, leaseMs)
    for (const id of asked) {
      if (!kept.has(id)) this.#held.get(id)?.abort(new Error('The lease of the connection was lost.'))
    }
  }

  stop(): Promise<void> {
    return this.#timer.stop()
  }
}
