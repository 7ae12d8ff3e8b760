import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { type Command, launchCommand } from './postgres-account.ts'
import { createFolder, getProgramPath, serverState, waitUntilUnused } from './postgres-folder.ts'

export interface PostgresOptions {
  dir: string
  port: number
  host?: string
  /** Password of the superuser `postgres`. The first start in a folder sets it. */
  password: string
  settings?: Record<string, string>
  /** File for the server’s log. Default: no log. */
  logFile?: string
}

/**
 * How a server stops: after its clients, after their current statements, or immediately with a recovery at the next
 * start.
 */
export type StopMode = 'smart' | 'fast' | 'immediate'

export interface Postgres {
  readonly url: string
  readonly port: number
  readonly pid: number
  stop(mode?: StopMode): Promise<void>
  restart(mode?: StopMode): Promise<void>
}

const defaults = {
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  wal_level: 'replica',
  max_wal_size: '1GB',
  timezone: 'UTC',
  log_line_prefix: '%m [%p] %q%a ',
}

const signals = { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' } as const

/** Starts Postgres as a child that ends with this process. Resolves when Postgres accepts connections. */
export async function startPostgres(options: PostgresOptions): Promise<Postgres> {
  let child = await run(options)
  const stop = async (mode: StopMode = 'fast') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signals[mode])
    await ended
  }
  return {
    url: superuserUrl(options),
    port: options.port,
    get pid() {
      return child.pid ?? 0
    },
    stop,
    async restart(mode = 'fast') {
      await stop(mode)
      child = await run(options)
    },
  }
}

export function superuserUrl({ host = '127.0.0.1', port, password }: PostgresOptions): string {
  return `postgres://postgres:${encodeURIComponent(password)}@${host}:${port}/postgres`
}

/**
 * Creates the data folder if needed, and checks that no other server uses it. Returns the command that runs the server.
 */
export async function preparePostgres(options: PostgresOptions): Promise<Command> {
  const { dir, host = '127.0.0.1', port, settings } = options
  await createFolder(dir, options.password)
  await waitUntilUnused(dir)
  const all = { ...defaults, listen_addresses: host, ...settings }
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  return launchCommand(getProgramPath('postgres'), ['-D', dir, '-p', String(port), ...args], dir)
}

export async function isReady(dir: string, pid: number | undefined): Promise<boolean> {
  const state = await serverState(dir)
  return state !== undefined && state.pid === pid && (state.status === 'ready' || state.status === 'standby')
}

async function run(options: PostgresOptions): Promise<ChildProcess> {
  const command = await preparePostgres(options)
  const log = await open(options.logFile ?? '/dev/null', 'a')
  const child = spawn(command.file, command.args, { cwd: '/', stdio: ['ignore', log.fd, log.fd] })
  await once(child, 'spawn').finally(() => log.close())
  while (!(await isReady(options.dir, child.pid))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`Postgres exited during startup. See ${options.logFile ?? 'its log'}.`)
    }
    await setTimeout(20)
  }
  return child
}
