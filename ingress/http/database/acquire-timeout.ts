import { Problem, unavailable } from '#lib/errors.ts'
import { type DatabasePool, type Db, openPool } from '#sql/db.ts'

/** Timeout in milliseconds of requests that wait for a connection, and of the circuit breaker’s probe. */
export const databaseTimeoutMs = 650

const brieflyAway = 'The service is temporarily unavailable. Retry the same request.'

const databaseBusy = () => unavailable(brieflyAway, 1)

export class DatabaseUnavailableError extends Problem {
  constructor() {
    super(503, 'server_error', brieflyAway, { retryAfter: 1 })
  }
}

const methods = [
  ...['any', 'anyFirst', 'exists', 'many', 'manyFirst', 'maybeOne', 'maybeOneFirst', 'one', 'oneFirst', 'query'],
  ...['record', 'stream', 'transaction'],
] as (keyof Db)[]

export interface TimedPool {
  db: DatabasePool
  renew(): Promise<void>
  servedAt(): number
  end(): Promise<void>
}

/**
 * Returns a pool with a timeout. Callers that wait too long for a connection get 503, and their work does not start.
 * The given pool has no timeout.
 */
export function withAcquireTimeout(first: DatabasePool, ms = databaseTimeoutMs): TimedPool {
  let pool = first
  let served = 0

  const connect: DatabasePool['connect'] = async (work) => {
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<ReturnType<typeof work>>>()
    let [timedOut, isConnected] = [false, false]
    const giveUp = () => {
      if (isConnected) return
      timedOut = true
      reject(databaseBusy())
    }
    // `setImmediate` runs after the process has read received data. So a delay of this process does not count as a
    // delay of the database.
    const timer = setTimeout(() => setImmediate(giveUp), ms)
    pool
      .connect(async (connection) => {
        isConnected = true
        clearTimeout(timer)
        if (timedOut) throw databaseBusy()
        const result = await work(connection)
        served = performance.now()
        return result
      })
      .then(resolve as (value: unknown) => void, reject)
      .finally(() => clearTimeout(timer))
    return await promise
  }

  return {
    db: withConnect(first, connect),
    servedAt: () => served,
    async renew() {
      const { connectionUri, maxPoolSize, idleInTransactionSessionTimeout, statementTimeout } = first.configuration
      const before = pool
      pool = await openPool(connectionUri, maxPoolSize, inMs(idleInTransactionSessionTimeout), inMs(statementTimeout))
      before.end().catch(() => {})
    },
    async end() {
      if (pool !== first) await pool.end()
    },
  }
}

export function withConnect(pool: DatabasePool, connect: DatabasePool['connect']): DatabasePool {
  const overConnect = methods.map((name) => [
    name,
    (...given: unknown[]) => connect((connection) => (connection[name] as (...given: unknown[]) => never)(...given)),
  ])
  return Object.assign(Object.create(pool), { connect, ...Object.fromEntries(overConnect) })
}

const inMs = (timeout: number | 'DISABLE_TIMEOUT'): number | undefined =>
  timeout === 'DISABLE_TIMEOUT' ? undefined : timeout
