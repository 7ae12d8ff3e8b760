import { randomBytes } from 'node:crypto'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { ensureDatabase } from '../../embedded/database.ts'
import { migrateAll } from '../../migrate.ts'
import { preferPort } from '../../start/ports.ts'
import { findFullPostgres } from '../failover/programs.ts'
import { runSql } from '../failover/run-sql.ts'
import { Host } from './host.ts'
import { type Ledger, Load } from './load.ts'
import { type Store, startStore } from './store.ts'
import { killStrayProcesses } from './strays.ts'

const address = '127.0.0.1'
const password = 'secret'

/**
 * The point in time of a restore, in milliseconds. Requests answered before `from` must exist. Requests sent after `to`
 * must not exist.
 */
export interface RestorePoint {
  from: number
  to: number
  /** Time by the clock of the server, or `undefined` for the end of the log. */
  target: string | undefined
}

export class BackupTestBed {
  readonly store: Store
  readonly ledger: Ledger = { accepted: [], unanswered: 0 }
  host: Host
  readonly #folder: string
  readonly #ends: AsyncDisposableStack
  readonly #programs: string
  readonly #cipherPass = randomBytes(48).toString('base64')
  #hosts = 0

  private constructor(folder: string, store: Store, programs: string, ends: AsyncDisposableStack, port: number) {
    this.store = store
    this.#folder = folder
    this.#programs = programs
    this.#ends = ends
    this.host = this.#hostAt(port)
  }

  /** Creates a folder with the store and a first host with the database. All of them end with `ends`. */
  static async raise(ends: AsyncDisposableStack): Promise<BackupTestBed> {
    const programs = await findFullPostgres()
    const folder = await mkdtemp(join(tmpdir(), 'millrace-backup-'))
    ends.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
    ends.defer(() => killStrayProcesses(folder))
    // The account of the servers must be able to pass through this folder to reach its own folders.
    await chmod(folder, 0o711)
    const store = await startStore(folder, address, ends)
    const bed = new BackupTestBed(folder, store, programs, ends, await preferPort(address, undefined))
    await bed.host.prepare()
    await bed.host.create()
    await bed.host.start()
    await migrateAll(await ensureDatabase(bed.host.url, 'millrace', password))
    return bed
  }

  urlOf(host: Host): string {
    return Object.assign(new URL(host.url), { username: 'millrace', password, pathname: '/millrace' }).href
  }

  async newHost(): Promise<Host> {
    const host = this.#hostAt(await preferPort(address, undefined))
    await host.prepare()
    return host
  }

  async underLoad<T>(rate: number, work: () => Promise<T>): Promise<T> {
    const load = new Load(this.ledger)
    await load.start(this.urlOf(this.host), this.store.storage, this.#folder, rate)
    try {
      return await work()
    } finally {
      await load.stop()
    }
  }

  /** Waits until all commits so far are in the repository. Returns the time of the call. */
  async archive(): Promise<number> {
    const { url } = this.host
    const asked = performance.now()
    const file = String(await runSql(url, 'select pg_walfile_name(pg_switch_wal())'))
    while (String(await runSql(url, 'select last_archived_wal from pg_stat_archiver')) < file) await pause(50)
    return asked
  }

  #hostAt(port: number): Host {
    const [folder, programs, store] = [join(this.#folder, `host-${++this.#hosts}`), this.#programs, this.store]
    const host = new Host({ folder, programs, address, port, password, cipherPass: this.#cipherPass, store })
    this.#ends.defer(() => host.lose())
    return host
  }
}
