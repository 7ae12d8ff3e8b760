import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { config } from '#lib/config.ts'
import { Storage } from '#lib/storage/storage.ts'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { ensureDatabase } from '../embedded/database.ts'
import { superuserUrl } from '../embedded/postgres.ts'
import { migrateAll } from '../migrate.ts'
import * as parts from '../start/parts.ts'
import { preferPort } from '../start/ports.ts'
import { keepSecrets } from '../start/secrets.ts'
import { type Part, type Supervised, supervise } from '../start/supervise.ts'
import * as ledger from './ledger.ts'
import { ingressPart, workerPart } from './parts.ts'
import { openStranger, type Stranger } from './stranger.ts'

/** How the platform is set up for a run; milliseconds where nothing else is said. */
export interface StageSettings {
  workers: number
  lease: number
  sweep: number
  /** Whether each worker's scratch folder is a disk of its own, of a few MB. */
  smallDisks: boolean
}

/** A part that is kept running, until a fault takes it away for a while. */
export class Actor {
  readonly part: Part
  readonly #log: string
  #supervised: Supervised
  /** Whether a fault has it: no two do at once. */
  taken = false

  constructor(part: Part, log: string) {
    this.part = part
    this.#log = log
    this.#supervised = supervise(part, log)
  }

  get ready(): Promise<void> {
    return this.#supervised.ready
  }

  /** Its process; undefined while there is none. */
  get pid(): number | undefined {
    return this.#supervised.pid
  }

  /** Kills it and has it stay away. */
  async away(): Promise<void> {
    const { pid } = this
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
    await this.#supervised.stop()
  }

  /** Has it come again. */
  async back(): Promise<void> {
    this.#supervised = supervise(this.part, this.#log)
    await this.#supervised.ready
  }

  async stop(): Promise<void> {
    const { pid } = this
    // A process that a fault has stopped hears no SIGTERM.
    if (pid !== undefined) process.kill(pid, 'SIGCONT')
    await this.#supervised.stop()
  }
}

/** The whole platform as `npm start` runs it, with several workers, in a folder and on ports of its own. */
export interface Stage {
  settings: StageSettings
  folder: string
  url: string
  /** Connections of the chaos run itself, for its transactions and its looks at the queue. */
  db: DatabasePool
  storage: Storage
  base: string
  key: string
  stranger: Stranger
  postgres: Actor
  store: Actor
  ingress: Actor
  workers: Actor[]
}

/** Connections that Postgres gives; few, so that they can all be taken. */
const maxConnections = 160

/** Starts everything; it ends with `ends`, the folder only if `keep` says so then. */
export async function raiseStage(
  settings: StageSettings,
  ends: AsyncDisposableStack,
  keep: () => boolean,
): Promise<Stage> {
  const folder = await makeFolder(ends, keep)
  const start = async (part: Part) => {
    const actor = new Actor(part, parts.logOf(folder, part.name))
    ends.defer(() => actor.stop())
    await actor.ready
    return actor
  }
  const secrets = await keepSecrets(join(folder, 'secrets.json'))
  const [postgresPort, storePort, port] = await freePorts()
  const server = { dir: join(folder, 'postgres'), host, port: postgresPort, password: secrets.postgres_password }
  const options = { ...server, settings: { max_connections: String(maxConnections) } }
  const files = { dir: join(folder, 'objects'), credentials: join(folder, 'secrets.json') }
  const [postgres, store, stranger] = await Promise.all([
    start(parts.postgres(options)),
    start(parts.objectStore({ host, port: storePort, ...files })),
    openStranger(ends),
  ])
  const url = await ensureDatabase(superuserUrl(options), 'millrace', secrets.database_password)
  await migrateAll(url)
  const db = await openPool(url, 8)
  ends.defer(() => db.end())
  await ledger.install(db)
  const { keys } = await createOrg(db, 'chaos', 'unlimited', {
    main: { prefix: 'bt_live_', scopes: ['stream:read', 'stream:write'] },
  })
  const base = `http://${host}:${port}`
  const env = {
    ...{
      HOST: host,
      PORT: String(port),
      PUBLIC_URL: base,
      DATABASE_URL: url,
      LOG_LEVEL: 'info',
      MILLRACE_DATA: folder,
    },
    ...{ S3_ENDPOINT: `http://${host}:${storePort}`, S3_PUBLIC_ENDPOINT: `http://${host}:${storePort}` },
    ...{ S3_ACCESS_KEY: secrets.access_key, S3_SECRET_KEY: secrets.secret_key, SIGNING_SECRET: secrets.signing_secret },
    ...{ LEASE_MS: String(settings.lease), SWEEP_MS: String(settings.sweep) },
  }
  const numbers = Array.from({ length: settings.workers }, (_, i) => i + 1)
  const [ingress, ...workers] = await Promise.all([
    start(ingressPart(env, stranger.url)),
    ...numbers.map((number) => start(workerPart(env, number, settings.smallDisks))),
  ])
  const storage = new Storage({
    ...{
      endpoint: env.S3_ENDPOINT,
      publicEndpoint: env.S3_ENDPOINT,
      region: config.S3_REGION,
      bucket: config.S3_BUCKET,
    },
    ...{ accessKey: secrets.access_key, secretKey: secrets.secret_key },
  })
  const actors = { postgres, store, ingress, workers }
  return { settings, folder, url, db, storage, base, key: keys.main, stranger, ...actors }
}

const host = '127.0.0.1'

async function freePorts(): Promise<[number, number, number]> {
  return [await preferPort(host, undefined), await preferPort(host, undefined), await preferPort(host, undefined)]
}

async function makeFolder(ends: AsyncDisposableStack, keep: () => boolean): Promise<string> {
  const parent = resolve(config.MILLRACE_DATA, 'chaos')
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'run-'))
  // Entered by the server account of Postgres on the way to its own folder.
  await chmod(folder, 0o711)
  await mkdir(join(folder, 'logs'))
  ends.defer(async () => {
    if (!keep()) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  return folder
}
