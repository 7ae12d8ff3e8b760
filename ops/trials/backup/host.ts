import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Account, launchCommand } from '../../embedded/postgres-account.ts'
import { listProcesses } from '../../embedded/postgres-folder.ts'
import { kill } from '../../kill.ts'
import { runSql } from '../failover/run-sql.ts'
import { createOwnedFolders, getFolderOwner, readShippedFile, replaceLines, writeOwnedFile } from './files.ts'
import type { Store } from './store.ts'

const execute = promisify(execFile)

export interface HostOptions {
  /** A folder that does not exist yet. Its path must be short, because the folder contains a socket. */
  folder: string
  programs: string
  address: string
  port: number
  password: string
  cipherPass: string
  store: Store
}

/**
 * A host with Postgres and pgBackRest, configured with the shipped files. As on Debian, the settings are outside the
 * data folder.
 */
export class Host {
  readonly options: HostOptions
  readonly data: string
  readonly etc: string
  #account: Account | undefined
  #server: ChildProcess | undefined

  constructor(options: HostOptions) {
    this.options = options
    this.data = join(options.folder, 'data')
    this.etc = join(options.folder, 'etc')
  }

  get url(): string {
    const { address, port, password } = this.options
    return `postgres://postgres:${password}@${address}:${port}/postgres`
  }

  async prepare(): Promise<void> {
    const { folder, address, port, store, cipherPass } = this.options
    this.#account = await getFolderOwner(folder)
    const etc = this.etc
    const own = ['', 'data', 'etc', 'etc/conf.d', 'log', 'spool', 'lock', 'run'].map((name) => join(folder, name))
    await createOwnedFolders(own, this.#account)
    const write = (name: string, text: string) => writeOwnedFile(join(etc, name), text, this.#account)
    await write('pgbackrest.conf', replaceLines(await readShippedFile('pgbackrest.conf'), this.#places()))
    const secrets = [
      ['s3-key=\n', store.accessKey],
      ['s3-key-secret=\n', store.secretKey],
      ['cipher-pass=\n', cipherPass],
    ].map(([name = '', value = '']) => [name, name.replace('\n', `${value}\n`)] as const)
    await write('conf.d/secrets.conf', replaceLines(await readShippedFile('secrets.conf'), secrets))
    const archiving = replaceLines(await readShippedFile('postgresql.conf'), [
      ['pgbackrest', `pgbackrest --config-path=${etc}`],
    ])
    const server = { listen_addresses: address, port, unix_socket_directories: join(folder, 'run'), timezone: 'UTC' }
    const size = { shared_buffers: '64MB', max_connections: 100, hba_file: join(etc, 'pg_hba.conf') }
    const lines = Object.entries({ ...server, ...size }).map(([name, value]) => `${name} = '${value}'`)
    await write('postgresql.conf', `${lines.join('\n')}\n${archiving}`)
    await write('pg_hba.conf', `local all all trust\nhost all all ${address}/32 scram-sha-256\n`)
  }

  async create(): Promise<void> {
    const secret = join(this.etc, 'password')
    await writeOwnedFile(secret, this.options.password, this.#account)
    const args = ['-U', 'postgres', '--pwfile', secret, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8']
    await this.#run(this.#program('initdb'), ['-D', this.data, '--no-instructions', '--data-checksums', ...args])
    await rm(secret)
  }

  async start(): Promise<void> {
    const args = ['-D', this.data, '-c', `config_file=${join(this.etc, 'postgresql.conf')}`]
    const command = await launchCommand(this.#program('postgres'), args, this.data, 'KILL')
    const log = await open(join(this.options.folder, 'log', 'postgres.log'), 'a')
    const child = spawn(command.file, command.args, { cwd: '/', stdio: ['ignore', log.fd, log.fd] })
    this.#server = child
    await once(child, 'spawn').finally(() => log.close())
    while ((await runSql(this.url, 'select pg_is_in_recovery()').catch(() => true)) === true) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`Postgres exited. See ${this.options.folder}/log/postgres.log.`)
      await pause(50)
    }
  }

  /** Stops Postgres as an operator does. Postgres archives its latest writes first. */
  async stop(): Promise<void> {
    const ended = this.#ended()
    if (!ended) return
    this.#server?.kill('SIGINT')
    await ended
  }

  async lose(): Promise<void> {
    const ended = this.#ended()
    if (!ended) return
    this.#server?.kill('SIGKILL')
    for (const pid of await listProcesses(this.data)) kill(pid)
    await ended
    while ((await listProcesses(this.data)).length > 0) await pause(20)
  }

  async pgbackrest(command: string, ...args: string[]): Promise<{ said: string; ms: number }> {
    const begun = performance.now()
    const said = await this.#run('pgbackrest', [command, '--stanza=millrace', `--config-path=${this.etc}`, ...args])
    return { said, ms: performance.now() - begun }
  }

  #places(): (readonly [string, string])[] {
    const { folder, port, store } = this.options
    return [
      ['repo1-s3-endpoint=s3.example.com', 'repo1-s3-endpoint=localhost'],
      ['#repo1-storage-port=443', `repo1-storage-port=${store.tlsPort}`],
      ['#repo1-storage-ca-file=/etc/pgbackrest/store-ca.pem', `repo1-storage-ca-file=${store.ca}`],
      ['repo1-s3-bucket=millrace-backup', `repo1-s3-bucket=${store.bucket}`],
      ['/var/spool/pgbackrest', join(folder, 'spool')],
      ['/var/log/pgbackrest', join(folder, 'log')],
      ['/tmp/pgbackrest', join(folder, 'lock')],
      ['pg1-path=/var/lib/postgresql/15/main', `pg1-path=${this.data}`],
      ['pg1-port=5432', `pg1-port=${port}`],
      ['/var/run/postgresql', join(folder, 'run')],
    ]
  }

  #ended(): Promise<unknown> | undefined {
    const server = this.#server
    if (!server || server.exitCode !== null || server.signalCode !== null) return undefined
    return once(server, 'exit')
  }

  #program(name: string): string {
    return join(this.options.programs, name)
  }

  async #run(program: string, args: string[]): Promise<string> {
    const command = await launchCommand(program, args, this.data)
    try {
      return (await execute(command.file, command.args, { cwd: '/', maxBuffer: 2 ** 24 })).stdout
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
      throw new Error(`${program} ${args[0]}: ${`${stdout}${stderr}`.trim() || (error as Error).message}`)
    }
  }
}
