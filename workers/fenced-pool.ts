import { setTimeout as pause } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'
import { OwnershipLost } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { observeQueueConnections } from '#sql/pool-gauges.ts'

type Callback = (
  error: Error | undefined,
  client: PoolClient | undefined,
  done: (release?: boolean | Error) => void,
) => void

const marks = new WeakMap<PoolClient, string>()
const gated = new WeakSet<PoolClient>()

/** The queue library's prepared statement that fetches jobs, by its name. */
const asksForJobs = (query: unknown) =>
  typeof query === 'object' && query !== null && String((query as { name?: unknown }).name).startsWith('get_job')

/**
 * The connections a queue worker works on. Each carries the worker's name as `millrace.worker`, by which the database lets
 * only the holder of a job complete it (jobs.fence); none is handed out before the worker is registered.
 */
export class FencedPool extends Pool {
  #ready: Promise<string> = Promise.resolve('')
  #isShut = () => false
  #mayWork: () => boolean = () => true

  /** Hands out no connection until `name` resolves to the name under which jobs are locked. */
  holdUntil(name: Promise<string>): void {
    this.#ready = name
  }

  /** While `isShut` says so, each question for jobs is answered with none, without asking the database. */
  shutWhile(isShut: () => boolean): void {
    this.#isShut = isShut
  }

  /** Hands out no connection while `mayWork` says no: a worker that wakes from a freeze fetches nothing before it learns that it is lost. */
  guardBy(mayWork: () => boolean): void {
    this.#mayWork = mayWork
  }

  override connect(): Promise<PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<PoolClient> | undefined {
    const acquired = this.#ready.then(async (name) => {
      const client = await patiently(() => super.connect())
      if (!this.#mayWork()) {
        client.release()
        throw new OwnershipLost('no beat got through within the lease')
      }
      if (name !== (marks.get(client) ?? '')) this.#mark(client, name)
      if (!gated.has(client)) this.#gate(client)
      return client
    })
    if (!callback) return acquired
    acquired.then(
      (client) => callback(undefined, client, client.release),
      (error: Error) => callback(error, undefined, () => {}),
    )
    return undefined
  }

  #gate(client: PoolClient): void {
    gated.add(client)
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const answer = (...args: unknown[]) =>
      this.#isShut() && asksForJobs(args[0]) ? Promise.resolve({ rows: [], rowCount: 0 }) : query(...args)
    client.query = answer as typeof client.query
  }

  /** Queued before any query of the borrower; a session that cannot be marked is broken and fails those too. */
  #mark(client: PoolClient, name: string): void {
    marks.set(client, name)
    client.query(`select set_config('millrace.worker', $1, false)`, [name]).catch(() => marks.delete(client))
  }
}

/** Postgres's code for a server that has no connection left to give, and milliseconds for which that is put up with. */
const tooMany = '53300'
const patience = 15_000

/** The queue library takes a connection that it is refused for its end, so one that will come free is waited for. */
async function patiently<T>(connect: () => Promise<T>): Promise<T> {
  const end = performance.now() + patience
  for (;;) {
    try {
      return await connect()
    } catch (error) {
      if ((error as { code?: string }).code !== tooMany || performance.now() > end) throw error
      await pause(200)
    }
  }
}

/** Opens the fenced connections of one pool's worker. */
export function openFencedPool(databaseUrl: string, size: number): FencedPool {
  const pool = new FencedPool({
    connectionString: databaseUrl,
    max: size,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  })
  // Unheard, a connection's 'error' would end the process.
  const heard = (error: Error) => log.debug({ err: error.message }, 'queue connection lost')
  pool.on('error', heard)
  pool.on('connect', (client) => client.on('error', heard))
  observeQueueConnections(pool)
  return pool
}
