import { log } from '#lib/log.ts'
import type { DatabasePool } from '#sql/db.ts'
import { createProbe } from '#sql/probe.ts'
import { DatabaseUnavailableError, databaseTimeoutMs, type TimedPool, withConnect } from './acquire-timeout.ts'

export interface CircuitBreaker {
  guard<T>(work: () => Promise<T>): Promise<T>
  /**
   * Returns a pool whose statements and transactions are each guarded. Use it for routes that are not guarded as a
   * whole.
   */
  guarded(pool: DatabasePool): DatabasePool
  stop(): Promise<void>
}

const probeEveryMs = 150

/**
 * A connection that hangs (a frozen server, a broken network) returns no error for a long time. So while requests are
 * running, the database is probed on a separate connection. If a probe fails and no request completed in the meantime,
 * the breaker opens. Then running requests get 503 in under a second, and new requests get 503 immediately. When a
 * probe succeeds, the pool is renewed and the breaker closes.
 */
export function createCircuitBreaker(
  url: string,
  pool: Pick<TimedPool, 'renew' | 'servedAt'>,
  ms = databaseTimeoutMs,
): CircuitBreaker {
  const running = new Set<(error: unknown) => void>()
  const database = createProbe(url)
  let open = false
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function schedule(): void {
    if (timer || stopped) return
    timer = setTimeout(() => void probe(), probeEveryMs).unref()
  }

  async function probe(): Promise<void> {
    const alive = (await database.answers(ms)) || performance.now() - pool.servedAt() < ms
    if (alive === open) await toggle(!alive)
    if (open) for (const fail of running) fail(new DatabaseUnavailableError())
    timer = undefined
    if (running.size > 0 || open) schedule()
  }

  async function toggle(opens: boolean): Promise<void> {
    if (!opens) await pool.renew().catch(() => {})
    log.warn(opens ? 'the database is unavailable' : 'the database is available again')
    open = opens
  }

  async function guard<T>(work: () => Promise<T>): Promise<T> {
    if (open) throw new DatabaseUnavailableError()
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    running.add(reject)
    schedule()
    work().then(resolve, reject)
    try {
      return await promise
    } finally {
      running.delete(reject)
    }
  }

  return {
    guard,
    guarded: (whole) => withConnect(whole, (work) => guard(() => whole.connect(work))),
    async stop() {
      stopped = true
      clearTimeout(timer)
      await database.stop()
    },
  }
}
