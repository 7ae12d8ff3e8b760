import { log } from '#lib/log.ts'
import { createPulse } from '#sql/pulse.ts'
import { type PatientPool, patienceMs, refusal } from './patience.ts'

/** Answers for requests that would wait in vain for the database. */
export interface Sentinel {
  /** Does `work`; throws 503 at once while the database is away, and as soon as it is found to be. */
  guard<T>(work: () => Promise<T>): Promise<T>
  stop(): Promise<void>
}

const everyMs = 150

/** What the sentinel knows of the pool that requests use. */
type Watched = Pick<PatientPool, 'renew' | 'servedAt'>

/**
 * A connection that hangs (a frozen server, a cut network) gives no error for a long time, so while requests are running the
 * database is asked for a sign of life, on a connection kept for that. Without one, running requests are answered 503 in
 * under a second, and new ones at once until it is back; the pool is renewed then.
 */
export function createSentinel(url: string, pool: Watched, ms = patienceMs): Sentinel {
  const running = new Set<(error: unknown) => void>()
  const pulse = createPulse(url)
  let away = false
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function watch(): void {
    if (timer || stopped) return
    timer = setTimeout(() => void look(), everyMs).unref()
  }

  async function look(): Promise<void> {
    const alive = (await pulse.feel(ms)) || performance.now() - pool.servedAt() < ms
    if (alive === away) await turn(alive)
    if (away) for (const fail of running) fail(refusal())
    timer = undefined
    if (running.size > 0 || away) watch()
  }

  async function turn(alive: boolean): Promise<void> {
    if (alive) await pool.renew().catch(() => {})
    log.warn(alive ? 'the database is back' : 'the database is away')
    away = !alive
  }

  return {
    async guard<T>(work: () => Promise<T>): Promise<T> {
      if (away) throw refusal()
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      running.add(reject)
      watch()
      work().then(resolve, reject)
      try {
        return await promise
      } finally {
        running.delete(reject)
      }
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await pulse.stop()
    },
  }
}
