import { setTimeout as pause } from 'node:timers/promises'
import { Pool, type PoolClient } from 'pg'
import { OwnershipLost } from '#lib/errors.ts'
import { log } from '#lib/log.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { observeQueueConnections } from '#sql/pool-gauges.ts'
import { type PoolName, poolSchema } from '#tasks/queue/pools.ts'
import { QueuePool } from './queue-pool.ts'

/** The channel on which the queue library listens for new jobs; `jobs.install_channel` gives each queue one of its own. */
const libraryChannel = 'jobs:insert'
const migrateChannel = 'worker:migrate'
const channelOf = (pool: PoolName) => `${libraryChannel}:${poolSchema(pool)}`

/** The queue library's prepared statement that fetches jobs: `get_job/<schema>`, with a number of jobs and letters behind `get_job`. */
const fetchStatement = /^get_job\w*\/(\w+)$/

/**
 * The connections that all queue workers of a process share, so that a process with every pool needs no more of them than one
 * with a few. Each carries the names of the process's workers as `millrace.worker`, by which the database lets only the holder
 * of a job complete it (jobs.fence). One more connection listens for all pools, each on a channel of its own.
 */
export class QueueConnections {
  readonly #pg: Pool
  readonly #listener: Listener
  readonly #pools = new Map<PoolName, QueuePool>()
  readonly #names: string[] = []
  readonly #marks = new WeakMap<PoolClient, string>()
  readonly #shut = new Map<string, () => boolean>()
  #mayWork: () => boolean = () => true

  /** Opens at most `size` connections, and one that listens. */
  constructor(databaseUrl: string, pools: readonly PoolName[], size: number) {
    this.#pg = new Pool({ connectionString: databaseUrl, max: size, connectionTimeoutMillis: 5_000, keepAlive: true })
    // Unheard, a connection's 'error' would end the process.
    const heard = (error: Error) => log.debug({ err: error.message }, 'queue connection lost')
    this.#pg.on('error', heard)
    this.#pg.on('connect', (client) => {
      client.on('error', heard)
      this.#gate(client)
    })
    observeQueueConnections(this.#pg)
    this.#listener = listen(databaseUrl, [migrateChannel, ...pools.map(channelOf)])
    for (const pool of pools) this.#listen(pool)
  }

  /** Hands out no connection while `mayWork` says no: a worker that wakes from a freeze fetches nothing before it learns that it is lost. */
  guardBy(mayWork: () => boolean): void {
    this.#mayWork = mayWork
  }

  /** What the queue library takes for the connections of a pool's worker; while `isShut` says so, it finds no job. */
  poolOf(pool: PoolName, isShut: () => boolean): QueuePool {
    this.#shut.set(poolSchema(pool), isShut)
    return this.#pools.get(pool) as QueuePool
  }

  /** Lets a worker complete the jobs that are locked under `name`. */
  admit(name: string): void {
    this.#names.push(name)
  }

  async end(): Promise<void> {
    await this.#listener.close()
    await this.#pg.end()
  }

  #listen(pool: PoolName): void {
    const own = new QueuePool(this.#pg.options.max ?? 10, () => this.#connect())
    this.#pools.set(pool, own)
    this.#listener.on(channelOf(pool), (payload) => own.notify(libraryChannel, payload))
    this.#listener.on(migrateChannel, (payload) => own.notify(migrateChannel, payload))
    this.#listener.onReconnect(() => own.notify(libraryChannel, '{"count":1000}'))
  }

  async #connect(): Promise<PoolClient> {
    const client = await onceGiven(() => this.#pg.connect())
    if (!this.#mayWork()) {
      client.release()
      throw new OwnershipLost('no beat got through within the lease')
    }
    const names = this.#names.join()
    if (names !== (this.#marks.get(client) ?? '')) this.#mark(client, names)
    return client
  }

  /** Answers each question for the jobs of a pool that is shut with none, without asking the database. */
  #gate(client: PoolClient): void {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const isShut = (asked: unknown) => {
      const { name } = (asked ?? {}) as { name?: unknown }
      const [, schema] = (typeof name === 'string' && fetchStatement.exec(name)) || []
      return schema !== undefined && this.#shut.get(schema)?.()
    }
    const answer = (...args: unknown[]) =>
      isShut(args[0]) ? Promise.resolve({ rows: [], rowCount: 0 }) : query(...args)
    client.query = answer as typeof client.query
  }

  /** Queued before any query of the borrower; a session that cannot be marked is broken and fails those too. */
  #mark(client: PoolClient, names: string): void {
    this.#marks.set(client, names)
    client.query(`select set_config('millrace.worker', $1, false)`, [names]).catch(() => this.#marks.delete(client))
  }
}

/** Postgres's code for a server that has no connection left to give, and milliseconds for which that is put up with. */
const tooMany = '53300'
const giveUpMs = 15_000

/** The queue library takes a connection that it is refused for its end, so one that will come free is waited for. */
async function onceGiven<T>(connect: () => Promise<T>): Promise<T> {
  const end = performance.now() + giveUpMs
  for (;;) {
    try {
      return await connect()
    } catch (error) {
      if ((error as { code?: string }).code !== tooMany || performance.now() > end) throw error
      await pause(200)
    }
  }
}
