import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Cells, parseCells } from '#lib/cells.ts'
import { config } from '#lib/config.ts'
import { hashSecret, makeKey } from '#lib/tokens.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import { type DatabasePool, openPool } from '#sql/db.ts'
import { listProcesses } from '../../embedded/postgres-folder.ts'
import { migrateAll } from '../../migrate.ts'
import { writePrivate } from '../../private-file.ts'
import * as parts from '../../start/parts.ts'
import { preferPort } from '../../start/ports.ts'
import { keepSecrets } from '../../start/secrets.ts'
import type { Part } from '../../start/supervise.ts'
import { Actor } from '../chaos/actor.ts'
import { singleServerDatabase } from '../chaos/ground.ts'
import { type FrontProxy, startFrontProxy } from './haproxy.ts'

export interface TestCell {
  name: string
  url: string
  db: DatabasePool
  databaseUrl: string
  env: Record<string, string>
  ingress: Actor
  /** `undefined` if the bed was created without workers. */
  workers: Actor | undefined
  store: Actor
  freeze(): Promise<void>
  thaw(): Promise<void>
  /** Kills all processes of the cell, like a host that loses power. */
  kill(): Promise<void>
  back(): Promise<void>
}

export interface CellTestBed {
  folder: string
  cells: Readonly<Record<string, TestCell>>
  known: Cells
  file: string
  front: FrontProxy
  haproxy: Actor
}

export interface BedOptions {
  names: readonly string[]
  workers: boolean
  oneBucket?: boolean
  settings?: Record<string, string>
}

const host = '127.0.0.1'

/** Starts cells, each with Postgres, an object store, an ingress and optional workers. All of them end with `ends`. */
export async function startCells(
  { names, workers, oneBucket = false, settings = {} }: BedOptions,
  ends: AsyncDisposableStack,
): Promise<CellTestBed> {
  const folder = await makeFolder(ends)
  const signingSecret = randomBytes(32).toString('hex')
  const ports = new Map<string, number>()
  for (const name of names) ports.set(name, await preferPort(host, undefined))
  const file = join(folder, 'cells.json')
  const grounds = await Promise.all(names.map((name) => raiseGround(join(folder, name), ends)))
  if (oneBucket) for (const ground of grounds) ground.s3 = (grounds[0] as Ground).s3
  const described = Object.fromEntries(
    names.map((name, i) => {
      const { url: database_url, s3 } = grounds[i] as Ground
      return [name, { url: `http://${host}:${ports.get(name)}`, database_url, s3, hosts: [`${name}.cells.test`] }]
    }),
  )
  await writePrivate(file, { cells: described })
  const cells = await Promise.all(
    names.map(async (name, i) => {
      const of = { CELL: name, CELLS_FILE: file, SIGNING_SECRET: signingSecret, TRUSTED_PROXIES: host, ...settings }
      return [name, await raiseCell(name, ports.get(name) as number, grounds[i] as Ground, of, workers, ends)] as const
    }),
  )
  const known = parseCells(names[0] as string, JSON.stringify({ cells: described }))
  const front = await startFrontProxy(join(folder, 'haproxy'), host, await preferPort(host, undefined), known)
  const haproxy = await start(front.part, folder, ends)
  return { folder, cells: Object.fromEntries(cells), known, file, front, haproxy }
}

export async function addOrg(
  { db, name }: Pick<TestCell, 'db' | 'name'>,
  orgName: string,
  scopes: string[],
): Promise<{ orgId: string; key: string; hash: string }> {
  const key = makeKey('bt_live_', name)
  const { id: orgId } = await orgs.insert(db, { name: orgName, plan: 'unlimited' })
  await keys.create(db, { orgId, prefix: 'bt_live_', name: 'bed', scopes, secret: key })
  return { orgId, key, hash: hashSecret(key) }
}

interface Ground {
  folder: string
  url: string
  postgres: Actor
  store: Actor
  s3: { endpoint: string; region: string; bucket: string; access_key: string; secret_key: string }
}

async function start(part: Part, folder: string, ends: AsyncDisposableStack): Promise<Actor> {
  const actor = new Actor(part, parts.logOf(folder, part.name))
  ends.defer(() => actor.stop())
  await actor.ready
  return actor
}

async function raiseGround(folder: string, ends: AsyncDisposableStack): Promise<Ground> {
  await mkdir(join(folder, 'logs'), { recursive: true })
  const credentials = join(folder, 'secrets.json')
  const secrets = await keepSecrets(credentials)
  const port = await preferPort(host, undefined)
  const begin = (part: Part) => start(part, folder, ends)
  const [database, store] = await Promise.all([
    singleServerDatabase(host)({ folder, secrets, start: begin, ends }),
    begin(parts.objectStore({ host, port, dir: join(folder, 'objects'), credentials })),
  ])
  await migrateAll(database.url)
  const s3 = { endpoint: `http://${host}:${port}`, region: config.S3_REGION, bucket: config.S3_BUCKET }
  const { access_key, secret_key } = secrets
  return {
    folder,
    url: database.url,
    postgres: database.postgres as Actor,
    store,
    s3: { ...s3, access_key, secret_key },
  }
}

async function raiseCell(
  name: string,
  port: number,
  { folder, url: databaseUrl, postgres, store, s3 }: Ground,
  settings: Record<string, string>,
  withWorkers: boolean,
  ends: AsyncDisposableStack,
): Promise<TestCell> {
  const url = `http://${host}:${port}`
  const env = {
    HOST: host,
    PORT: String(port),
    PUBLIC_URL: url,
    DATABASE_URL: databaseUrl,
    MILLRACE_DATA: folder,
    S3_ENDPOINT: s3.endpoint,
    S3_ACCESS_KEY: s3.access_key,
    S3_SECRET_KEY: s3.secret_key,
    LOG_LEVEL: 'warn',
    LIVE_RTMP_PORT: String(await preferPort(host, undefined)),
    SIP_PORT: '0',
    ...settings,
  }
  const db = await openPool(databaseUrl, 6)
  ends.defer(() => db.end())
  const ingress = await start(parts.ingress(env, port), folder, ends)
  const workers = withWorkers ? await start(parts.workers(env), folder, ends) : undefined
  const dir = join(folder, 'postgres')
  const signal = async (what: NodeJS.Signals) => {
    for (const pid of await listProcesses(dir)) process.kill(pid, what)
  }
  // A server that is stopped with SIGSTOP would never exit.
  ends.defer(() => signal('SIGCONT'))
  const actors = [ingress, ...(workers ? [workers] : []), store, postgres]
  return {
    name,
    url,
    db,
    databaseUrl,
    env,
    ingress,
    workers,
    store,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async kill() {
      await Promise.all(actors.map((actor) => actor.away()))
    },
    async back() {
      await Promise.all([postgres.back(), store.back()])
      await ingress.back()
      await workers?.back()
    },
  }
}

async function makeFolder(ends: AsyncDisposableStack): Promise<string> {
  const parent = resolve(config.MILLRACE_DATA, 'cells')
  await mkdir(parent, { recursive: true })
  const folder = await mkdtemp(join(parent, 'run-'))
  // The account of Postgres must be able to pass through this folder to reach its own folder.
  await chmod(folder, 0o711)
  await mkdir(join(folder, 'logs'))
  ends.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}
