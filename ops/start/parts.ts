import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { config } from '#lib/config.ts'
import { poolNames } from '#tasks/pools.ts'
import { type ClamdOptions, isUp, prepareClamd } from '../embedded/clamd.ts'
import { answersStun, type CoturnOptions, prepareCoturn } from '../embedded/coturn.ts'
import { type FreshclamOptions, prepareFreshclam } from '../embedded/freshclam.ts'
import { isReady, type PostgresOptions, preparePostgres } from '../embedded/postgres.ts'
import { createAliveCheck } from './silence.ts'
import { killWithParent, type Part } from './supervise.ts'

/** Option for processes with little work. By default, V8 lets short-lived objects use 48 MB before it collects them. */
const small = '--max-semi-space-size=1'

const program = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** Timeout in milliseconds, longer than any drain. A process that has not exited by then is killed. */
const drained = config.SHUTDOWN_DELAY_MS + config.SHUTDOWN_GRACE_MS + 5_000

export const postgres = (options: PostgresOptions): Part => ({
  name: 'postgres',
  command: () => preparePostgres(options),
  ready: { check: (pid) => isReady(options.dir, pid) },
  stopSignal: 'SIGINT',
  grace: 30_000,
  quiet: true,
})

export function objectStore(options: { host: string; port: number; dir: string; credentials: string }): Part {
  const { host, port, dir, credentials } = options
  const args = ['--host', host, '--port', String(port), '--dir', dir, '--credentials', credentials]
  args.push(
    '--region',
    config.S3_REGION,
    '--bucket',
    config.S3_BUCKET,
    '--lifecycle',
    program('ops/deploy/lifecycle.xml'),
  )
  return {
    name: 'object-store',
    command: () => killWithParent(process.execPath, program('ops/embedded/object-store/main.ts'), ...args),
    ready: { line: 'object store listening on' },
    stopSignal: 'SIGTERM',
    grace: drained,
  }
}

export const clamd = (options: ClamdOptions): Part => ({
  name: 'clamd',
  command: () => prepareClamd(options),
  ready: { check: () => isUp(options.dir) },
  alive: createAliveCheck(() => isUp(options.dir)),
  // The process stores nothing, and SIGTERM takes seconds on a busy machine.
  stopSignal: 'SIGKILL',
  grace: 5_000,
  quiet: true,
  persistent: true,
})

export function mailCatcher(options: {
  host: string
  dir: string
  smtp: number
  http: number
  databaseUrl: string
}): Part {
  const { host, dir, smtp, http, databaseUrl } = options
  const args = ['--host', host, '--dir', dir, '--smtp-port', String(smtp), '--http-port', String(http)]
  return {
    name: 'mail-catcher',
    command: () => killWithParent(process.execPath, small, program('ops/embedded/mail-catcher/main.ts'), ...args),
    env: { DATABASE_URL: databaseUrl },
    ready: { line: 'mail catcher listening on' },
    stopSignal: 'SIGTERM',
    grace: 5_000,
  }
}

export function whatsappSandbox(options: {
  host: string
  port: number
  dir: string
  credentials: string
  webhook: string
}): Part {
  const { host, port, dir, credentials, webhook } = options
  const args = [
    '--host',
    host,
    '--port',
    String(port),
    '--dir',
    dir,
    '--credentials',
    credentials,
    '--webhook',
    webhook,
  ]
  return {
    name: 'whatsapp',
    command: () => killWithParent(process.execPath, small, program('ops/embedded/whatsapp/main.ts'), ...args),
    ready: { line: 'whatsapp sandbox listening on' },
    stopSignal: 'SIGTERM',
    grace: 5_000,
  }
}

export const smsSandbox = ({ host, port, credentials }: { host: string; port: number; credentials: string }): Part => ({
  name: 'sms',
  command: () =>
    killWithParent(
      ...([process.execPath, small, program('ops/embedded/sms/main.ts')] as const),
      ...['--host', host, '--port', String(port), '--credentials', credentials],
    ),
  ready: { line: 'sms sandbox listening on' },
  stopSignal: 'SIGTERM',
  grace: 5_000,
})

export const telephones = (port: number): Part => ({
  name: 'telephones',
  command: () =>
    killWithParent(process.execPath, small, program('ops/embedded/telephones/main.ts'), '--port', String(port)),
  ready: { line: 'telephones listening on' },
  stopSignal: 'SIGTERM',
  grace: 2_000,
})

export const freshclam = (options: FreshclamOptions): Part => ({
  name: 'freshclam',
  command: () => prepareFreshclam(options),
  ready: { check: async () => true },
  stopSignal: 'SIGTERM',
  grace: 5_000,
  quiet: true,
  persistent: true,
})

export function coturn(options: CoturnOptions): Part {
  const answers = () => answersStun(options.host ?? '127.0.0.1', options.port)
  return {
    name: 'coturn',
    command: () => prepareCoturn(options),
    ready: { check: answers },
    alive: answers,
    stopSignal: 'SIGTERM',
    grace: 2_000,
    quiet: true,
    persistent: true,
  }
}

export const ingress = (env: Record<string, string>, port: number, after?: Promise<unknown>): Part => ({
  name: 'ingress',
  command: () => killWithParent(process.execPath, program('ingress/main.ts')),
  env,
  ...(after && { after }),
  ready: { check: async () => (await fetch(`http://${reachable(config.HOST)}:${port}/readyz`)).ok },
  stopSignal: 'SIGTERM',
  grace: drained,
})

export const workers = (env: Record<string, string>, after?: Promise<unknown>): Part => ({
  name: 'workers',
  command: () => killWithParent(process.execPath, program('workers/main.ts'), '--pools', poolNames.join(',')),
  env,
  ...(after && { after }),
  ready: { line: 'workers ready' },
  stopSignal: 'SIGTERM',
  grace: drained,
})

export const logOf = (data: string, name: string): string => join(data, 'logs', `${name}.log`)

/** Returns the address at which this machine reaches a listener on `host`. IPv6 addresses are in URL form. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
