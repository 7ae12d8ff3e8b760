import { execFile } from 'node:child_process'
import { chown, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { childEnvironment } from '#lib/config.ts'
import { type Account, launchCommand, serverAccount } from '../../embedded/postgres-account.ts'
import { kill } from '../../kill.ts'
import { killWithParent, type Part } from '../../start/supervise.ts'
import type { Actor } from '../chaos/actor.ts'
import type { Host } from '../fleet/hosts.ts'
import { type DatabaseHost, etcdVariables, patroniFile } from './filled.ts'

interface Passwords {
  superuser: string
  others: string
}

// Restarts processes as systemd does, unless a file prevents this. Postgres survives its Patroni. Uses separate
// namespaces, so that all processes and shared memory end with the first process.
const init =
  'mount -t tmpfs -o mode=1777 tmpfs /dev/shm; while :; do while [ -e "$0" ]; do sleep 0.1; done; "$@"; sleep 0.5; done'
const namespaces = ['--pid', '--ipc', '--fork', '--kill-child', '--mount-proc']

const Answer = z.array(z.object({ recovering: z.boolean() }))

export class Node implements DatabaseHost {
  readonly name: string
  readonly host: Host
  readonly dir: string
  #etcd: Actor | undefined
  #patroni: Actor | undefined
  #passwords: Passwords | undefined

  constructor(name: string, host: Host, dir: string) {
    this.name = name
    this.host = host
    this.dir = dir
  }

  get address(): string {
    return this.host.address
  }

  get file(): string {
    return join(this.dir, 'patroni.yml')
  }

  get etcd(): Actor {
    if (!this.#etcd) throw new Error(`${this.name} has not been started.`)
    return this.#etcd
  }

  get patroni(): Actor {
    if (!this.#patroni) throw new Error(`${this.name} has not been started.`)
    return this.#patroni
  }

  get environment(): Record<string, string> {
    const { superuser = '', others = '' } = this.#passwords ?? {}
    return {
      PATRONI_SUPERUSER_PASSWORD: superuser,
      PATRONI_REPLICATION_PASSWORD: others,
      PATRONI_REWIND_PASSWORD: others,
      PATRONI_RESTAPI_PASSWORD: others,
    }
  }

  async startEtcd(start: (part: Part) => Promise<Actor>, all: readonly DatabaseHost[]): Promise<void> {
    await this.#ownFolder(this.dir)
    await this.#ownFolder(join(this.dir, 'etcd'))
    const command = async () => this.host.command(await launchCommand('/usr/bin/etcd', [], this.dir, 'KILL'))
    const answers = async () => (await fetch(`http://${this.address}:2379/health`)).ok
    this.#etcd = await start({
      ...common,
      name: `etcd-${this.name}`,
      command,
      env: await etcdVariables(this, all),
      ready: { check: answers },
    })
  }

  async startPatroni(
    start: (part: Part) => Promise<Actor>,
    all: readonly DatabaseHost[],
    programs: string,
    passwords: Passwords,
  ): Promise<void> {
    this.#passwords = passwords
    await writeFile(this.file, await patroniFile(this, all, programs), { mode: 0o600 })
    const account = await this.#account()
    if (account) await chown(this.file, account.uid, account.gid)
    const command = async () => {
      const { file, args } = await launchCommand('/usr/bin/patroni', [this.file], this.dir, 'KILL')
      const own = [...namespaces, '--', 'sh', '-c', init, this.#away, file, ...args]
      return this.host.command(killWithParent('unshare', ...own))
    }
    this.#patroni = await start({
      ...common,
      name: `patroni-${this.name}`,
      command,
      env: this.environment,
      ready: { check: () => this.isAlive() },
    })
  }

  async isAlive(): Promise<boolean> {
    return (await fetch(`http://${this.address}:8008/liveness`, { signal: AbortSignal.timeout(1_000) })).ok
  }

  async killPatroni(): Promise<void> {
    await writeFile(this.#away, '')
    const found = await pidsOf((args) => args[0]?.includes('python') === true && args.includes(this.file))
    if (found.length === 0) throw new Error(`${this.name} has no Patroni.`)
    for (const pid of found) kill(pid)
  }

  letPatroni = () => rm(this.#away, { force: true })

  /**
   * Returns true if the host's Postgres accepts writes, checked on the host itself. Returns `undefined` if there is no
   * response.
   */
  async isWritable(): Promise<boolean | undefined> {
    const rows = await this.sql('select pg_is_in_recovery() as recovering').catch(() => undefined)
    const answer = Answer.safeParse(rows)
    return answer.success && answer.data[0] ? !answer.data[0].recovering : undefined
  }

  /** Runs a statement on the host itself. Stops waiting for rows after `ms` milliseconds. */
  async sql(text: string, ms = 3_000, database = 'postgres'): Promise<unknown> {
    const wrapped = /^select/i.test(text) ? `select coalesce(json_agg(r), '[]') from (${text}) as r` : text
    const args = ['-X', '-q', '-A', '-t', '-h', this.address, '-U', 'postgres', '-d', database, '-c', wrapped]
    const command = this.host.command({ file: 'psql', args })
    const env = childEnvironment({ PGPASSWORD: this.#passwords?.superuser ?? '', PGCONNECT_TIMEOUT: '2' })
    const { stdout } = await promisify(execFile)(command.file, command.args, {
      env,
      timeout: ms,
      killSignal: 'SIGKILL',
    })
    return stdout.trim() === '' ? [] : JSON.parse(stdout)
  }

  get #away(): string {
    return join(this.dir, 'stays-away')
  }

  #account = (): Promise<Account | undefined> => serverAccount(this.dir)

  async #ownFolder(dir: string): Promise<void> {
    await mkdir(dir, { recursive: true, mode: 0o700 })
    const account = await serverAccount(dir)
    if (account) await chown(dir, account.uid, account.gid)
  }
}

const common = { stopSignal: 'SIGKILL', grace: 5_000, quiet: true } as const

async function pidsOf(are: (args: string[]) => boolean): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(
      async (pid) => are((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0')) && Number(pid),
    ),
  )
  return found.filter((pid) => pid !== false)
}
