import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, chown, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isReady } from '../../embedded/postgres.ts'
import { launchCommand, serverAccount } from '../../embedded/postgres-account.ts'
import { listProcesses } from '../../embedded/postgres-folder.ts'
import { kill } from '../../kill.ts'
import { runSql } from './run-sql.ts'

const execute = promisify(execFile)

export interface ServerOptions {
  name: string
  programs: string
  dir: string
  host: string
  port: number
  password: string
  settings?: Record<string, string>
}

export class Server {
  readonly options: ServerOptions
  #child: ChildProcess | undefined

  constructor(options: ServerOptions) {
    this.options = options
  }

  get url(): string {
    const { host, port, password } = this.options
    return `postgres://postgres:${password}@${host}:${port}/postgres`
  }

  async create(): Promise<void> {
    const { dir, password, host } = this.options
    await this.#emptyFolder()
    const secret = `${dir}.password`
    await writeFile(secret, password, { mode: 0o600 })
    const account = await serverAccount(dir)
    if (account) await chown(secret, account.uid, account.gid)
    const args = ['-U', 'postgres', '--pwfile', secret, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8']
    await this.#run('initdb', ['-D', dir, '--no-instructions', ...args]).finally(() => rm(secret))
    const ranges = ['postgres', 'all'].map((user) => `host all ${user} ${host}/32 scram-sha-256`)
    await appendFile(
      join(dir, 'pg_hba.conf'),
      `${ranges.join('\n')}\nhost replication postgres ${host}/32 scram-sha-256\n`,
    )
  }

  async adopt(): Promise<void> {
    const { dir } = this.options
    const account = await serverAccount(dirname(dir))
    if (account) await execute('chown', ['-R', `${account.uid}:${account.gid}`, dir])
  }

  async start(): Promise<void> {
    const { programs, dir, host, port, name, settings } = this.options
    const all = {
      unix_socket_directories: '',
      listen_addresses: host,
      cluster_name: name,
      timezone: 'UTC',
      max_connections: '300',
      shared_buffers: '64MB',
      hot_standby: 'on',
      max_wal_senders: '8',
      ...settings,
    }
    const args = Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`])
    const command = await launchCommand(
      join(programs, 'postgres'),
      ['-D', dir, '-p', String(port), ...args],
      dir,
      'KILL',
    )
    const log = await open(`${dir}.log`, 'a')
    const child = spawn(command.file, command.args, { cwd: '/', stdio: ['ignore', log.fd, log.fd] })
    this.#child = child
    await once(child, 'spawn').finally(() => log.close())
    while (!(await isReady(dir, child.pid)) && !(await this.#answers())) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`Postgres exited. See ${dir}.log.`)
      await pause(50)
    }
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    for (const pid of await listProcesses(this.options.dir)) kill(pid)
    await ended
    while ((await listProcesses(this.options.dir)).length > 0) await pause(20)
  }

  async #run(name: string, args: string[]): Promise<void> {
    const { programs, dir } = this.options
    const command = await launchCommand(join(programs, name), args, dir)
    await execute(command.file, command.args, { cwd: '/' })
  }

  async #emptyFolder(): Promise<void> {
    const { dir } = this.options
    await rm(dir, { recursive: true, force: true })
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const account = await serverAccount(dir)
    if (account) await chown(dir, account.uid, account.gid)
  }

  // A restored server writes `ready` to its postmaster.pid only when it is a primary.
  async #answers(): Promise<boolean> {
    return await runSql(this.url, 'select 1').then(
      () => true,
      () => false,
    )
  }
}
