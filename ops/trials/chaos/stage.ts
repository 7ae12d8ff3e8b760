import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { config } from '#lib/config.ts'
import { Storage } from '#lib/storage/storage.ts'
import { createOrg } from '#sql/account/setup.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { migrateAll } from '../../migrate.ts'
import * as parts from '../../start/parts.ts'
import { preferPort, preferUdpPorts } from '../../start/ports.ts'
import { keepSecrets } from '../../start/secrets.ts'
import type { Part } from '../../start/supervise.ts'
import { Actor } from './actor.ts'
import { ownGround, type StageGround } from './ground.ts'
import * as ledger from './ledger.ts'
import { ingressPart, workerPart } from './parts.ts'
import { openThirdParty, type ThirdParty } from './third-party.ts'

/** Settings of the platform for a run. Times are in milliseconds. */
export interface StageSettings {
  workers: number
  lease: number
  sweep: number
  smallDisks: boolean
  /** The environment. By default everything runs on 127.0.0.1 with one Postgres. */
  ground?: StageGround
}

/**
 * The complete platform, as started by `npm start`, with several workers, in a separate folder and on separate ports.
 */
export interface Stage {
  settings: StageSettings
  folder: string
  url: string
  /** Connections of the chaos test, for its transactions and queries. */
  db: DatabasePool
  storage: Storage
  base: string
  key: string
  rtmp: string
  stranger: ThirdParty
  /** The single database server. `undefined` if the ground has several. */
  postgres: Actor | undefined
  store: Actor
  ingress: Actor
  workers: Actor[]
}

const srtPorts = 20

/** Starts everything. It ends with `ends`. The folder is then removed, unless `keep` returns true. */
export async function startStage(
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
  const ground = settings.ground ?? ownGround
  const { host } = ground
  const secrets = await keepSecrets(join(folder, 'secrets.json'))
  const [storePort, port] = [await preferPort(host, undefined), await preferPort(host, undefined)]
  const files = { dir: join(folder, 'objects'), credentials: join(folder, 'secrets.json') }
  const [{ postgres, url, settings: ofDatabase = {} }, store, stranger] = await Promise.all([
    ground.database({ folder, secrets, start, ends }),
    start(parts.objectStore({ host, port: storePort, ...files })),
    openThirdParty(host, ends),
  ])
  await migrateAll(url)
  const db = await openPool(url, 8)
  ends.defer(() => db.end())
  await ledger.install(db)
  const { keys } = await createOrg(db, 'chaos', 'unlimited', {
    main: { prefix: 'bt_live_', scopes: ['stream:read', 'stream:write'] },
  })
  const base = `http://${host}:${port}`
  const numbers = Array.from({ length: settings.workers }, (_, i) => i + 1)
  const rtmpPorts = await Promise.all(numbers.map(() => preferPort(host, undefined)))
  const srtPort = await preferUdpPorts(host, 0, srtPorts)
  const env = {
    HOST: host,
    PORT: String(port),
    PUBLIC_URL: base,
    DATABASE_URL: url,
    LOG_LEVEL: 'info',
    MILLRACE_DATA: folder,
    S3_ENDPOINT: `http://${host}:${storePort}`,
    S3_PUBLIC_ENDPOINT: `http://${host}:${storePort}`,
    S3_ACCESS_KEY: secrets.access_key,
    S3_SECRET_KEY: secrets.secret_key,
    SIGNING_SECRET: secrets.signing_secret,
    LEASE_MS: String(settings.lease),
    SWEEP_MS: String(settings.sweep),
    ...ofDatabase,
    LIVE_SRT_PORTS: `${srtPort}-${srtPort + srtPorts - 1}`,
  }
  const place = ground.place ?? ((part) => part)
  const envOf = (number: number) => ({ ...env, LIVE_RTMP_PORT: String(rtmpPorts[number - 1]) })
  const [ingress, ...workers] = await Promise.all([
    start(ingressPart(env, stranger.url)),
    ...numbers.map((number) => start(place(workerPart(envOf(number), number, settings.smallDisks), number))),
  ])
  const storage = new Storage({
    endpoint: env.S3_ENDPOINT,
    publicEndpoint: env.S3_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKey: secrets.access_key,
    secretKey: secrets.secret_key,
  })
  const actors = { postgres, store, ingress, workers }
  return {
    settings,
    folder,
    url,
    db,
    storage,
    base,
    key: keys.main,
    rtmp: `rtmp://${host}:${rtmpPorts[0]}/live`,
    stranger,
    ...actors,
  }
}

async function makeFolder(ends: AsyncDisposableStack, keep: () => boolean): Promise<string> {
  const parent = resolve(config.MILLRACE_DATA, 'chaos')
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'run-'))
  // The account of Postgres must be able to pass through this folder to reach its own folder.
  await chmod(folder, 0o711)
  await mkdir(join(folder, 'logs'))
  ends.defer(async () => {
    if (!keep()) await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  return folder
}
