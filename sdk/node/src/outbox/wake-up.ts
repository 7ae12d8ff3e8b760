import type { OutboxClient, OutboxPool } from './database.ts'
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

  constructor(pool: OutboxPool, onWake: () => void) {
    this.#pool = pool
    this.#onWake = onWake
  }

  /** Connects again if the connection was lost. Without a connection, the relay finds rows only by polling. */
  async keepConnected(): Promise<void> {
    if (this.#client || performance.now() - this.#triedAt < 1_000) return
    this.#triedAt = performance.now()
    const client = await this.#pool.connect()
    const lose = () => this.#lose(client)
    client.on('error', lose)
    client.on('end', lose)
    client.on('notification', this.#onWake)
    this.#client = client
    try {
      await client.query(`listen ${channel}`)
    } catch (error) {
      lose()
      throw error
    }
  }

  /** Tells `enqueue` that a relay polls. */
  async startPolling(): Promise<void> {
    if (this.#hasLock || !this.#client) return
    const { rows } = await this.#client.query(`select pg_try_advisory_lock(${awakeLock}) as held`)
    this.#hasLock = rows[0]?.held === true
  }

  /** Tells `enqueue` to notify. */
  async stopPolling(): Promise<void> {
    if (!this.#hasLock || !this.#client) return
    this.#hasLock = false
    await this.#client.query(`select pg_advisory_unlock(${awakeLock})`)
  }

  close(): void {
    if (this.#client) this.#lose(this.#client)
  }

  #lose(client: OutboxClient): void {
    if (this.#client !== client) return
    this.#client = undefined
    this.#hasLock = false
    client.release(true)
  }
}
