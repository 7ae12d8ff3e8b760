import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3'
import { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { AppOptions } from '../../ingress/http/app.ts'
import { provide } from '../../ingress/http/container.ts'
import * as services from '../../ingress/http/services.ts'
import { startObjectStore } from '../../ops/embedded/object-store/server.ts'
import { type Api, upload, waitFor } from '../../ops/video-client.ts'
import { testDatabase } from './database.ts'
import { type Ask, type Reply, type TestIngress, type TestScope, testIngress, testOrg } from './ingress.ts'
import { freePort, type Scope } from './postgres.ts'
import { signingSecret } from './signing-secret.ts'

const program = fileURLToPath(new URL('../../workers/main.ts', import.meta.url))
const keys = { accessKey: 'AKIDVIDEO', secretKey: 'only/for+tests' }
const bucket = 'millrace'

/** Access data for the store of every stack, without its URL. */
export const storeKeys = { ...keys, bucket, region: 'us-east-1' }

export { signingSecret }

export interface TestStore {
  url: string
  storage: Storage
  /** Returns the keys of all objects with a prefix. */
  list(prefix: string): Promise<string[]>
  stop(): Promise<void>
  start(): Promise<void>
}

export async function testStore(t: Scope): Promise<TestStore> {
  const dir = await mkdtemp(join(tmpdir(), 'millrace-store-'))
  const port = await freePort()
  const options = { host: '127.0.0.1', port, dir, region: 'us-east-1', buckets: [bucket], ...keys }
  let store: Awaited<ReturnType<typeof startObjectStore>> | undefined = await startObjectStore(options)
  const { url } = store
  const s3 = new S3Client({
    endpoint: url,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: keys.accessKey, secretAccessKey: keys.secretKey },
  })
  const stop = async () => {
    const running = store
    store = undefined
    await running?.close()
  }
  t.teardown(async () => {
    s3.destroy()
    await stop()
    await rm(dir, { recursive: true, force: true })
  })
  return {
    url,
    storage: new Storage({ endpoint: url, publicEndpoint: url, ...storeKeys }),
    async list(prefix) {
      const { Contents } = await s3.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix }))
      return (Contents ?? []).map(({ Key }) => Key ?? '')
    },
    stop,
    async start() {
      store ??= await startObjectStore(options)
    },
  }
}

export interface Workers {
  process: ChildProcess
  pid: number
  lines: string[]
  ended: Promise<number | string>
  /** Kills it, like the kernel or a power failure. */
  kill(): Promise<void>
  stop(): Promise<void>
}

/** The complete video area: store, database, ingress, one organisation, and workers when they are started. */
export interface VideoStack {
  store: TestStore
  db: DatabasePool
  databaseUrl: string
  ingress: TestIngress
  orgId: string
  key: string
  api: Api
  data: string
  ask(request: string, options?: Ask): Promise<Reply>
  /** Starts another ingress on the same database. */
  another(db?: DatabasePool, options?: Partial<AppOptions>): Promise<TestIngress>
  send(path: string, facts?: Record<string, unknown>): Promise<string>
  sendBytes(name: string, bytes: Uint8Array | string): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: tests look at every field of an asset.
  read(assetId: string): Promise<any>
  ready(assetId: string, timeout?: number): Promise<void>
  /** Starts workers for the pools of uploaded video, or for others, directly or with another command. */
  startWorkers(environment?: Record<string, string>, pools?: string, under?: string[]): Promise<Workers>
}

const streamAreas = ['video', 'live', 'rooms']

export interface StackOptions {
  /** Areas of its ingress in addition to those of `/v1/stream`. */
  areas?: readonly string[]
  plan?: string
  /** A migrated database. Default: a new one. */
  database?: { url: string; db: DatabasePool }
  /** A store for `storeKeys`. Default: a new embedded store. */
  store?: TestStore
}

/** Starts everything except the workers, until the test ends. */
export async function videoStack(
  t: TestScope,
  { plan = 'unlimited', database, store: given, areas = [] }: StackOptions = {},
): Promise<VideoStack> {
  const data = await mkdtemp(join(tmpdir(), 'millrace-video-'))
  t.teardown(() => rm(data, { recursive: true, force: true }))
  const [store, { url: databaseUrl, db }] = await Promise.all([given ?? testStore(t), database ?? testDatabase(t)])
  const provided = [provide(services.storage, store.storage), provide(services.signingSecret, signingSecret)]
  const another = (pool = db, options: Partial<AppOptions> = {}) =>
    testIngress(t, pool, [], {
      only: [...streamAreas, ...areas],
      ...options,
      services: [...provided, ...(options.services ?? [])],
    })
  const ingress = await another()
  const { org, keys: made } = await testOrg(db, ['stream:read', 'stream:write'], { plan })
  const api = { base: ingress.url, key: made.main }
  const read = async (assetId: string) => {
    const reply = await ingress.ask(`GET /v1/stream/assets/${assetId}`, { key: made.main })
    if (reply.status !== 200) throw new Error(`asset ${assetId}: ${reply.status} ${reply.text}`)
    return reply.body
  }
  const send = async (path: string, facts: Record<string, unknown> = {}) => (await upload(api, path, facts)).assetId
  return {
    store,
    db,
    databaseUrl,
    ingress,
    orgId: org.id,
    key: made.main,
    api,
    data,
    ask: (request, options) => ingress.ask(request, { key: made.main, ...options }),
    another,
    send,
    async sendBytes(name, bytes) {
      const path = join(data, name)
      await writeFile(path, bytes)
      return await send(path)
    },
    read,
    async ready(assetId, timeout = 90_000) {
      await waitFor(api, assetId, ({ status }) => status === 'ready', { timeout })
    },
    startWorkers: (environment = {}, pools = 'core,media-intake,media,webhooks', under = []) =>
      startWorkers(t, { databaseUrl, store, data, environment, pools, under }),
  }
}

export interface WorkersOptions {
  databaseUrl: string
  store: Pick<TestStore, 'url'>
  data: string
  environment: Record<string, string>
  pools: string
  under: string[]
}

/** Starts worker processes on a database and a store, until the test ends. */
export async function startWorkers(t: Scope, options: WorkersOptions): Promise<Workers> {
  const { databaseUrl, store, data, environment, pools, under } = options
  const env = {
    ...process.env,
    // Other test files run at the same time.
    MEDIA_NICE: '0',
    DATABASE_URL: databaseUrl,
    S3_ENDPOINT: store.url,
    S3_BUCKET: bucket,
    S3_ACCESS_KEY: keys.accessKey,
    S3_SECRET_KEY: keys.secretKey,
    SIGNING_SECRET: signingSecret,
    MILLRACE_DATA: data,
    SWEEP_MS: '1000',
    LOG_LEVEL: 'info',
    ...environment,
  }
  // It ends with the test’s process in any case. setpriv becomes node, so its pid is the worker’s.
  const [command = '', ...args] = [...under, 'setpriv', '--pdeathsig', 'KILL', '--', process.execPath, program]
  const child = spawn(command, [...args, '--pools', pools], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  const lines: string[] = []
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        lines.push(line)
        if (process.env.WORKER_LOG) console.error(line)
        if (line.includes('workers ready')) resolve()
      })
    }
  })
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await ended
  }
  t.teardown(() => end('SIGKILL'))
  const failed = ended.then((how) => Promise.reject(new Error(`The workers ended: ${how}\n${lines.join('\n')}`)))
  await Promise.race([ready, failed])
  failed.catch(() => {})
  const pid = child.pid as number
  return { process: child, pid, lines, ended, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}

/**
 * Returns the media tools that run on files of a data folder, by their arguments because their environment is empty.
 */
export async function enginesOn(data: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return /ff(mpeg|probe)\0/.test(command) && command.includes(data) ? [Number(pid)] : []
    }),
  )
  return found.flat()
}

export async function parentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/^PPid:\s+(\d+)/m.exec(status)?.[1] ?? 0)
}

/** Returns the files in the scratch folder of a stack’s workers, without the lock files. */
export async function scratchFiles(data: string): Promise<string[]> {
  const entries = await readdir(join(data, 'scratch'), { recursive: true })
  const files = await Promise.all(
    entries.map(async (entry) => {
      const found = await stat(join(data, 'scratch', entry)).catch(() => null)
      return found?.isFile() && !/^attempts\/[^/]+\/lock$/.test(entry) ? [entry] : []
    }),
  )
  return files.flat()
}

export interface Started {
  uploadId: string
  assetId: string
  partSizeBytes: number
  partsExpected: number
}

/** Returns random bytes, so no two parts are equal. */
export const noise = (bytes: number): Buffer => randomBytes(bytes)

/** PUTs bytes to a new signed URL of a part. Returns the URL. */
export async function putPart(stack: VideoStack, uploadId: string, number: number, body: Uint8Array): Promise<string> {
  const signed = await stack.ask(`POST /v1/stream/uploads/${uploadId}/parts/sign`, { body: { partNumbers: [number] } })
  if (signed.status !== 201) throw new Error(`sign: ${signed.status} ${signed.text}`)
  const { url } = signed.body.parts[0]
  const answer = await fetch(url, { method: 'PUT', body: body as RequestInit['body'] & {} })
  if (answer.status !== 200) throw new Error(`PUT: ${answer.status} ${await answer.text()}`)
  return url
}
