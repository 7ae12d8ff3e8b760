import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { childEnvironment } from '#lib/config.ts'
import type { Ground, Site } from '../chaos/ground.ts'
import { ensureDatabase } from '../embedded/database.ts'
import { preferPort } from '../start/ports.ts'
import { type PoolerOptions, pooledUrls, poolerPart } from './pgbouncer.ts'
import { wholePostgres } from './programs.ts'
import { runSql } from './run-sql.ts'
import { Server } from './server.ts'

const promotion = fileURLToPath(new URL('../deploy/postgres/promote.sh', import.meta.url))
const execute = promisify(execFile)
const host = '127.0.0.1'

/** A primary and its synchronous standby, with PgBouncer before them. */
export class Pair {
  #primary: Server
  #standby: Server
  readonly #pooler: PoolerOptions

  private constructor(primary: Server, standby: Server, pooler: PoolerOptions) {
    this.#primary = primary
    this.#standby = standby
    this.#pooler = pooler
  }

  /** Starts all three; `synchronous_commit` is on, so that nothing is committed that only one server has. */
  static async start(site: Site): Promise<{ pair: Pair; sessions: string; transactions: string }> {
    const { folder, secrets, start, ends } = site
    const programs = await wholePostgres()
    const password = secrets.postgres_password
    const make = async (name: string) =>
      new Server({ name, programs, dir: join(folder, name), host, port: await preferPort(host, undefined), password })
    const [a, b] = [await make('a'), await make('b')]
    ends.defer(() => a.kill())
    ends.defer(() => b.kill())
    await a.create()
    await a.start()
    await ensureDatabase(a.url, 'millrace', secrets.database_password)
    const dir = join(folder, 'pgbouncer')
    await mkdir(dir)
    const pooler = {
      dir,
      host,
      port: await preferPort(host, undefined),
      primary: a.options,
      password: secrets.database_password,
      adminPassword: password,
    }
    const pair = new Pair(a, b, pooler)
    await pair.restore()
    await start(await poolerPart(pooler))
    return { pair, ...pooledUrls(pooler) }
  }

  /** Kills the primary without a word. */
  async killPrimary(): Promise<void> {
    await this.#primary.kill()
  }

  /** What an operator does then: the shipped script. */
  async promote(): Promise<void> {
    const [old, next, { dir, adminPassword, port }] = [this.#primary, this.#standby, this.#pooler]
    const { programs, password } = next.options
    const env = childEnvironment({
      STANDBY: `${host}:${next.options.port}`,
      OLD: `${host}:${old.options.port}`,
      PRIMARY_INI: join(dir, 'primary.ini'),
      PGBOUNCER: `host=${host} port=${port} user=pgbouncer password=${adminPassword}`,
      PGPASSWORD: password,
    })
    await execute('bash', ['-c', 'PATH="$0:$PATH" exec bash "$1"', programs, promotion], { env })
    this.#primary = next
    this.#standby = old
  }

  /** Makes the other server a standby again, and has commits wait for it. */
  async restore(): Promise<void> {
    const [primary, standby] = [this.#primary, this.#standby]
    await standby.follow(primary)
    await standby.start()
    await runSql(primary.url, `alter system set synchronous_standby_names = 'FIRST 1 (${standby.options.name})'`)
    await runSql(primary.url, 'select pg_reload_conf()')
    const isThere = `select exists (select from pg_stat_replication where sync_state = 'sync' and state = 'streaming')`
    while (!(await runSql(primary.url, isThere))) await pause(100)
  }
}

/** A ground whose database is such a pair; `pairOf` gives it once the stage is raised. */
export function pairGround(): { ground: Ground; pairOf(): Pair } {
  let raised: Pair | undefined
  return {
    ground: {
      host,
      async database(site) {
        const { pair, sessions, transactions } = await Pair.start(site)
        raised = pair
        return { url: sessions, settings: { DATABASE_POOLED_URL: transactions } }
      },
    },
    pairOf() {
      if (!raised) throw new Error('The pair has not been started.')
      return raised
    },
  }
}
