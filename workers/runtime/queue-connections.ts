import { Pool, type PoolClient, type QueryResult } from 'pg'
import { log } from '#lib/log.ts'
import { isDisconnected } from '#sql/db.ts'
import { byIndexAlone } from '#sql/jobs/steady-plans.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { observeQueueConnections } from '#sql/pool-gauges.ts'
import { type PoolName, poolSchema } from '#tasks/pools.ts'
import { libraryChannel, NoAnswerError, QueuePool, type Statement } from './queue-pool.ts'

const migrateChannel = 'worker:migrate'
/** `jobs.install_channel` gives each queue a separate channel. */
const channelOf = (pool: PoolName) => `${libraryChannel}:${poolSchema(pool)}`

/** Number of pools that together can use all connections of a process. With fewer pools, each can use all. */
const poolsForAll = 3

/**
 * Returns how many of `size` connections each of `pools` pools can use at the same time. All pools and the clock must
 * have enough.
 */
export const getConnectionShare = (size: number, pools: number): number =>
  pools < poolsForAll ? size : Math.max(1, Math.floor(size / poolsForAll))

/**
 * Connections that all queue workers of a process share, so that a process with all pools needs no more connections
 * than one with a few pools. Each connection sets `millrace.worker` to the names of the process’s workers. With this
 * setting, the database lets only the owner of a job complete it (jobs.fence). One more connection listens for all
 * pools, each on a separate channel.
 */
export class QueueConnections {
  readonly #pg: Pool
  readonly #listener: Listener
  readonly #pools = new Map<PoolName, QueuePool>()
  readonly #names: string[] = []
  readonly #marks = new WeakMap<PoolClient, string>()
  readonly #shut = new Map<PoolName, () => boolean>()
  #mayWork: () => boolean = () => true
  #isOver = false

  constructor(databaseUrl: string, pools: readonly PoolName[], size: number) {
    this.#pg = new Pool({ connectionString: databaseUrl, max: size, connectionTimeoutMillis: 5_000, keepAlive: true })
    // Without a listener, an 'error' event of a connection would end the process.
    const heard = (error: Error) => log.debug({ err: error.message }, 'queue connection lost')
    this.#pg.on('error', heard)
    this.#pg.on('connect', (client) => client.on('error', heard))
    observeQueueConnections(this.#pg)
    this.#listener = listen(databaseUrl, [migrateChannel, ...pools.map(channelOf)])
    const share = getConnectionShare(size, pools.length)
    for (const pool of pools) this.#open(pool, size, share)
  }

  /**
   * Prevents fetches while `mayWork` returns false. A worker that resumes after a freeze must not fetch before it has
   * checked whether it is lost.
   */
  guardBy(mayWork: () => boolean): void {
    this.#mayWork = mayWork
  }

  /**
   * Returns the object that the queue library uses as a worker’s connection pool. While `isShut` returns true, the
   * object finds no jobs.
   */
  poolOf(pool: PoolName, isShut: () => boolean): QueuePool {
    this.#shut.set(pool, isShut)
    return this.#pools.get(pool) as QueuePool
  }

  /** Allows a worker to complete the jobs that are locked under `name`. */
  admit(name: string): void {
    this.#names.push(name)
  }

  disown(): void {
    for (const pool of this.#pools.values()) pool.disown()
  }

  async end(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    await this.#listener.close()
    await this.#pg.end()
  }

  #open(pool: PoolName, max: number, share: number): void {
    const own = new QueuePool(max, {
      schema: poolSchema(pool),
      share,
      ask: (statement) => this.#ask(statement),
      mayFetch: () => this.#mayWork() && !this.#shut.get(pool)?.(),
      isOver: () => this.#isOver,
    })
    this.#pools.set(pool, own)
    this.#listener.on(channelOf(pool), (payload) => own.notify(libraryChannel, payload))
    this.#listener.on(migrateChannel, (payload) => own.notify(migrateChannel, payload))
    this.#listener.onReconnect(() => own.notify(libraryChannel, '{"count":1000}'))
  }

  async #ask(statement: Statement): Promise<QueryResult> {
    const client = await this.#pg.connect().catch(unanswered)
    let broken = false
    try {
      await this.#prepare(client)
      return await client.query(statement)
    } catch (error) {
      broken = isDisconnected(error)
      return unanswered(error)
    } finally {
      client.release(broken)
    }
  }

  /**
   * Sets up a database session: plans use indexes, and the session contains the names of the current workers. Runs one
   * query at a time, as `pg` requires.
   */
  async #prepare(client: PoolClient): Promise<void> {
    if (!this.#marks.has(client)) {
      await client.query(byIndexAlone)
      this.#marks.set(client, '')
    }
    const names = this.#names.join()
    if (names === this.#marks.get(client)) return
    await client.query(`select set_config('millrace.worker', $1, false)`, [names])
    this.#marks.set(client, names)
  }
}

function unanswered(cause: unknown): never {
  throw isDisconnected(cause) ? new NoAnswerError('Postgres did not respond to the queue.', { cause }) : cause
}
