import { setTimeout as pause } from 'node:timers/promises'
import { Client } from 'pg'
import { advisoryLockSpaces } from '#sql/advisory-locks.ts'
import type { Request } from './liveness.ts'
import type { Pulse } from './pulse.ts'

const againMs = 200

type Registration = Extract<Request, { register: unknown }>['register']

/**
 * Database session with which a process renews its lease. If the connection breaks, another session is opened. Only an
 * expired lease ends it.
 */
export class LivenessSession {
  readonly #url: string
  readonly #lease: number
  readonly #pulse: Pulse
  readonly #lost: (why: string) => void
  readonly #workers = new Map<string, number>()
  #client: Client | undefined
  #backend: number | undefined
  #opened: Promise<void>
  #beating = false
  #fencing = false
  #over = false

  constructor(url: string, lease: number, pulse: Pulse, lost: (why: string) => void) {
    this.#url = url
    this.#lease = lease
    this.#pulse = pulse
    this.#lost = lost
    pulse.beaten(process.hrtime.bigint())
    this.#opened = this.#open()
  }

  /** Renews the lease and reports the delay of the event loop in milliseconds. */
  beat(delay: number): void {
    if (this.#over) return
    if (this.#pulse.quietMs > this.#lease) this.#lose('no heartbeat reached the database within the lease')
    const client = this.#client
    if (!client || this.#beating) return
    this.#beating = true
    this.#renew(client, delay)
      .catch(() => this.#drop(client))
      .finally(() => {
        this.#beating = false
      })
  }

  fence(): void {
    this.#fencing = true
  }

  async open(): Promise<void> {
    await this.#opened
  }

  /**
   * Resumes ownership of jobs that the workers fetch from now on. Jobs that were fetched earlier and are still owned
   * return to the queue.
   */
  async resume(): Promise<void> {
    await this.#opened
    const client = this.#connected()
    this.#fencing = false
    await client.query(`update jobs.workers set state = 'alive' where id = any($1) and state = 'fenced'`, [this.#ids])
    await client.query(`select jobs.release(w, false) from jobs.workers as w where w.id = any($1)`, [this.#ids])
    this.#pulse.isFenced = false
  }

  async register({ id, pool, lockedBy, host, pid, concurrency, scratch }: Registration): Promise<void> {
    await this.#opened
    const client = this.#connected()
    // The row becomes visible with its lock already held, so that no sweeper finds the lock free.
    await client.query('begin')
    const { rows } = await client.query<{ lock_key: number }>(
      `insert into jobs.workers (id, pool, locked_by, host, pid, concurrency, scratch_bytes, lease)
       values ($1, $2, $3, $4, $5, $6, $7, $8 * interval '1 millisecond') returning lock_key`,
      [id, pool, lockedBy, host, pid, concurrency, scratch ?? null, this.#lease],
    )
    const lockKey = rows[0]?.lock_key as number
    await client.query('select pg_advisory_lock($1, $2)', [advisoryLockSpaces.worker, lockKey])
    await client.query('commit')
    this.#workers.set(id, lockKey)
  }

  async leave(): Promise<void> {
    this.#over = true
    const client = this.#connected()
    // If a worker signed off but still owned jobs and died at this point, no sweep would find these jobs.
    await client.query('begin')
    await client.query(`update jobs.workers set state = 'stopped', seen_at = now() where id = any($1)`, [this.#ids])
    await client.query(`select jobs.release(w, false) from jobs.workers as w where w.id = any($1)`, [this.#ids])
    await client.query('commit')
    await client.end()
  }

  get #ids(): string[] {
    return [...this.#workers.keys()]
  }

  #connected(): Client {
    if (!this.#client) throw new Error('Postgres is unavailable.')
    return this.#client
  }

  #lose(why: string): void {
    if (this.#over) return
    this.#over = true
    this.#lost(why)
  }

  /** Opens a session as soon as a server is available, and takes the workers’ locks. */
  async #open(): Promise<void> {
    while (!this.#over) {
      const client = new Client({
        connectionString: this.#url,
        keepAlive: true,
        query_timeout: this.#lease,
        connectionTimeoutMillis: Math.min(this.#lease, 2_000),
      })
      client.on('error', () => this.#drop(client))
      client.on('end', () => this.#drop(client))
      try {
        await client.connect()
        await this.#takeOver(client)
        this.#client = client
        return
      } catch {
        client.end().catch(() => {})
        await pause(againMs)
      }
    }
  }

  #drop(client: Client | undefined): void {
    if (!client || this.#client !== client) return
    this.#client = undefined
    client.end().catch(() => {})
    if (!this.#over) this.#opened = this.#open()
  }

  /**
   * Sends a heartbeat first, so that no sweeper acts on the free locks. Then takes the locks, even from a session whose
   * end the server has not detected.
   */
  async #takeOver(client: Client): Promise<void> {
    const before = this.#backend
    await this.#touch(client, process.hrtime.bigint(), 0)
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    this.#backend = rows[0]?.pid
    const keys = [...this.#workers.values()]
    if (before !== undefined && keys.length > 0) await endBackend(client, before, keys)
    for (const key of keys) await client.query('select pg_advisory_lock($1, $2)', [advisoryLockSpaces.worker, key])
  }

  async #renew(client: Client, delay: number): Promise<void> {
    if (this.#fencing) {
      await client.query('select jobs.fence_workers($1)', [this.#ids])
      this.#fencing = false
    }
    await this.#touch(client, process.hrtime.bigint(), delay)
  }

  async #touch(client: Client, sent: bigint, delay: number): Promise<void> {
    // Another pool can register before the response arrives.
    const ids = this.#ids
    const { rowCount } = await client.query(
      `update jobs.workers set seen_at = clock_timestamp(), missed_at = null, loop_delay_ms = $2,
         server_started_at = pg_postmaster_start_time()
       where id = any($1) and state in ('alive', 'fenced')`,
      [ids, delay],
    )
    if (rowCount === ids.length) this.#pulse.beaten(sent)
    else this.#lose('another worker declared this one lost')
  }
}

/** Ends the session that held the locks if the server has not detected its broken connection. */
async function endBackend(client: Client, pid: number, keys: number[]): Promise<void> {
  await client.query(
    `select pg_terminate_backend(pid) from pg_locks
     where locktype = 'advisory' and classid = $1 and objid = any($2::oid[]) and granted and pid = $3`,
    [advisoryLockSpaces.worker, keys, pid],
  )
}
