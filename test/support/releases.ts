import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '#lib/config.ts'
import type { DatabasePool } from '#sql/db.ts'
import { startObjectStore } from '../../ops/embedded/object-store/server.ts'
import { seedDomain } from '../../ops/start/dev-domain.ts'
import { devKeys } from '../../ops/start/dev-keys.ts'
import { testDatabase } from './database.ts'
import { type Sink, startSink } from './mail-sink.ts'
import { freePort, type Scope } from './postgres.ts'
import { until } from './until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Running {
  /** Port of an ingress. Workers have none. */
  port: number
  /** Sends SIGTERM, and a second one when `known` resolves. Resolves with the exit status. */
  end(known?: Promise<unknown>): Promise<number | null>
}

/** Shared by every release: database, storage, keys, and the receiver of email. */
export interface Ground {
  url: string
  db: DatabasePool
  keys: Record<string, string>
  sink: Sink
  ingress(environment?: Record<string, string>): Promise<Running>
  worker(pools: string, environment?: Record<string, string>): Promise<Running>
}

/** Creates the shared parts until the test ends. */
export async function layGround(t: Scope): Promise<Ground> {
  const data = await mkdtemp(join(tmpdir(), 'millrace-releases-'))
  t.teardown(() => rm(data, { recursive: true, force: true }))
  const { url, db } = await testDatabase(t)
  const signingSecret = 's'.repeat(32)
  const keys = await devKeys(url, {})
  await seedDomain(url, signingSecret)
  const [accessKey, secretKey] = ['access', 'secret']
  const place = { host: '127.0.0.1', port: 0, dir: join(data, 'objects'), region: 'us-east-1', buckets: ['millrace'] }
  const store = await startObjectStore({ ...place, accessKey, secretKey })
  t.teardown(() => store.close())
  const sink = await startSink(t, '127.0.0.1', 0)
  const shared = {
    LOG_LEVEL: 'info',
    HOST: '127.0.0.1',
    MILLRACE_DATA: data,
    DATABASE_URL: url,
    SIGNING_SECRET: signingSecret,
    S3_ENDPOINT: store.url,
    S3_ACCESS_KEY: accessKey,
    S3_SECRET_KEY: secretKey,
    MAIL_SMARTHOST: `smtp://127.0.0.1:${sink.port}`,
  }

  async function run(path: string, args: string[], ready: string, env: Record<string, string>): Promise<ChildProcess> {
    const child = spawn(process.execPath, [join(root, path), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: childEnvironment({ ...shared, ...env }),
    })
    t.teardown(async () => {
      child.kill('SIGKILL')
    })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text
    })
    const settled = () => said.includes(ready) || child.exitCode !== null
    await until(settled, { what: `${path} says "${ready}"`, timeout: 180_000 })
    if (child.exitCode !== null) throw new Error(`${path} ended with ${child.exitCode}: ${said}`)
    return child
  }

  const running = (child: ChildProcess, port = 0): Running => ({
    port,
    async end(known) {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      void known?.then(() => child.kill('SIGTERM'))
      const [code] = await exit
      return code
    },
  })

  return {
    url,
    db,
    keys,
    sink,
    async ingress(environment = {}) {
      const port = await freePort()
      return running(await run('ingress/main.ts', [], '"ingress ready"', { PORT: String(port), ...environment }), port)
    },
    async worker(pools, environment = {}) {
      return running(await run('workers/main.ts', ['--pools', pools], 'workers ready', environment))
    },
  }
}
