import { Problem, unavailable } from '#lib/errors.ts'
import { type DatabasePool, type Db, openPool } from '#sql/db.ts'

/** Milliseconds a request waits for a connection, and the circuit breaker for the answer to a probe. */
export const databaseTimeoutMs = 650

const brieflyAway = 'The service is briefly unavailable; the same request may be sent again.'

/** What requests are answered that find no connection: the database is there, and busy. */
const databaseBusy = () => unavailable(brieflyAway, 1)

/** What requests are answered while no database answers. */
export class DatabaseAway extends Problem {
  constructor() {
    super(503, 'server_error', brieflyAway, { retryAfter: 1 })
  }
}

const methods = [
  ...['any', 'anyFirst', 'exists', 'many', 'manyFirst', 'maybeOne', 'maybeOneFirst', 'one', 'oneFirst', 'query'],
  ...['record', 'stream', 'transaction'],
] as (keyof Db)[]

/** A pool whose callers wait for a connection no longer than the time-out. */
export interface TimedPool {
  db: DatabasePool
  /** Goes on with new connections and ends those of before, which may be dead without knowing it. */
  renew(): Promise<void>
  /** When the database last did something for a request, by `performance.now()`. */
  servedAt(): number
  /** Ends the connections that were opened since. */
  end(): Promise<void>
}

/**
 * The same pool with a time-out: whoever waits too long for one of its connections gets 503, and its work is never started;
 * the pool itself would let it wait without end.
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
    // After what has come meanwhile is read: a process that was held up must not take its own delay for the database's.
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
    db: connectingBy(first, connect),
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

/** A pool whose statements and transactions all take their connection by `connect`. */
export function connectingBy(pool: DatabasePool, connect: DatabasePool['connect']): DatabasePool {
  const overConnect = methods.map((name) => [
    name,
    (...given: unknown[]) => connect((connection) => (connection[name] as (...given: unknown[]) => never)(...given)),
  ])
  return Object.assign(Object.create(pool), { connect, ...Object.fromEntries(overConnect) })
}

const inMs = (timeout: number | 'DISABLE_TIMEOUT'): number | undefined =>
  timeout === 'DISABLE_TIMEOUT' ? undefined : timeout
