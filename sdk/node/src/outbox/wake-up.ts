import { type OutboxClient, type OutboxPool, within } from './database.ts'
import { awakeLock, channel } from './sql/tables.ts'

/**
 * Listens for new rows while the relay sleeps. While the relay polls, it holds a lock that stops `enqueue` from
 * notifying, because NOTIFY makes the commits of the application wait for each other.
 */
export class WakeUp {
  readonly #pool: OutboxPool
  readonly #onWake: () => void
  #client: OutboxClient | undefined
  #hasLock = false
  #triedAt = Number.NEGATIVE_INFINITY

  readonly #ms: number

  constructor(pool: OutboxPool, ms: number, onWake: () => void) {
    this.#pool = pool
    this.#ms = ms
    this.#onWake = onWake
  }

  /** Connects again if the connection was lost. Without a connection, the relay finds rows only by polling. */
  async keepConnected(): Promise<void> {
    if (this.#client || performance.now() - this.#triedAt < 1_000) return
    this.#triedAt = performance.now()
    const client = await connect(this.#pool, this.#ms)
    const lose = () => this.#lose(client)
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', this.#onWake)
    this.#client = client
    await this.#ask(client, `listen ${channel}`)
  }

  /** Tells `enqueue` that a relay polls. */
  async startPolling(): Promise<void> {
    if (this.#hasLock || !this.#client) return
    const { rows } = await this.#ask(this.#client, `select pg_try_advisory_lock(${awakeLock}) as held`)
    this.#hasLock = rows[0]?.held === true
  }

  /** Tells `enqueue` to notify. */
  async stopPolling(): Promise<void> {
    if (!this.#hasLock || !this.#client) return
    this.#hasLock = false
    await this.#ask(this.#client, `select pg_advisory_unlock(${awakeLock})`)
  }

  close(): void {
    if (this.#client) this.#lose(this.#client)
  }

  /** Replaces the connection if the database does not answer. */
  async #ask(client: OutboxClient, text: string): ReturnType<OutboxClient['query']> {
    try {
      return await within(client.query(text), this.#ms)
    } catch (error) {
      this.#lose(client)
      throw error
    }
  }

  #lose(client: OutboxClient): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#hasLock = false
    client.release(true)
  }
}

/** Returns a connection. One that comes too late is returned to the pool. */
async function connect(pool: OutboxPool, ms: number): Promise<OutboxClient> {
  const coming = pool.connect()
  try {
    return await within(coming, ms)
  } catch (error) {
    coming.then(
      (client) => client.release(),
      () => {},
    )
    throw error
  }
}
