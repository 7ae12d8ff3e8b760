import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { answers } from '../../workers/scan/clamd/connection.ts'
import { ownCopy } from './own-copy.ts'
import { type Account, type Command, launch, serverAccount } from './postgres-account.ts'
import { writeSignatures } from './signatures.ts'

/** Where and how an embedded clamd runs. */
export interface ClamdOptions {
  program: string
  /** A folder of its own: settings, signatures and what is being scanned. */
  dir: string
  /** The most that it takes of one stream. */
  maxBytes: number
  /** Scans at once. */
  threads: number
}

/** A socket's path has room for 107 bytes (unix(7)). */
const longestPath = 100

/** The path of its socket: in its folder, or below the system's folder for temporary files when that is too deep. */
export function socketOf(dir: string): string {
  const inside = join(resolve(dir), 'clamd.sock')
  if (Buffer.byteLength(inside) <= longestPath) return inside
  const name = createHash('sha256').update(resolve(dir)).digest('hex').slice(0, 16)
  return join(tmpdir(), `millrace-${process.getuid?.() ?? 0}-${name}`, 'clamd.sock')
}

/** Makes the folder, the settings and the local signatures, and tells the command that runs clamd. */
export async function prepareClamd(options: ClamdOptions): Promise<Command> {
  const { program, dir } = options
  const { account, signatures, scratch } = await makeFolders(dir)
  // What a killed one was at.
  for (const name of await readdir(scratch)) await rm(join(scratch, name), { recursive: true, force: true })
  await prepareSignatures(dir)
  const file = configurationOf(dir)
  await writeFile(file, lines(settings(options, signatures, scratch)), { mode: 0o600 })
  await give(file, account)
  return await launch(await ownCopy(program, dir, account), ['--config-file', file], dir, 'KILL')
}

/** Writes the local set beside what else there is of signatures, and lets clamd read all of it. */
export async function prepareSignatures(dir: string): Promise<void> {
  const { account, signatures } = await makeFolders(dir)
  await writeSignatures(signatures)
  for (const name of await readdir(signatures)) await give(join(signatures, name), account)
}

/** The path of its settings. */
export const configurationOf = (dir: string): string => join(resolve(dir), 'clamd.conf')

/** Whether it scans. */
export const isUp = (dir: string): Promise<boolean> => answers({ socket: socketOf(dir) })

/** Makes its folders, owned by who it runs as. */
export async function makeFolders(
  dir: string,
): Promise<{ account: Account | undefined; signatures: string; scratch: string }> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const account = await serverAccount(dir, ['clamav', 'nobody'])
  const [signatures, scratch] = ['signatures', 'scratch'].map((name) => join(resolve(dir), name)) as [string, string]
  const outside = join(socketOf(dir), '..')
  for (const folder of new Set([dir, signatures, scratch, outside])) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await demandOwn(folder, account)
    await give(folder, account)
  }
  return { account, signatures, scratch }
}

/** Throws when a folder is somebody else's: what is below the system's folder anybody might have made. */
async function demandOwn(folder: string, account: Account | undefined): Promise<void> {
  const { uid } = await lstat(folder)
  if (uid !== process.getuid?.() && uid !== account?.uid) throw new Error(`${folder} belongs to another user.`)
}

async function give(path: string, account: Account | undefined): Promise<void> {
  if (account) await chown(path, account.uid, account.gid)
}

/** What clamd.conf(5) calls them; limits that are reached, and what is encrypted, are told rather than passed. */
function settings({ dir, maxBytes, threads }: ClamdOptions, signatures: string, scratch: string) {
  return {
    Foreground: 'yes',
    LogTime: 'yes',
    DatabaseDirectory: signatures,
    TemporaryDirectory: scratch,
    LocalSocket: socketOf(dir),
    LocalSocketMode: '600',
    FixStaleSocket: 'yes',
    MaxThreads: threads,
    MaxQueue: 4 * threads,
    StreamMaxLength: maxBytes,
    MaxFileSize: maxBytes,
    MaxScanSize: '4000M',
    MaxRecursion: 17,
    MaxFiles: 100_000,
    MaxScanTime: 600_000,
    ReadTimeout: 300,
    CommandReadTimeout: 60,
    AlertExceedsMax: 'yes',
    AlertEncrypted: 'yes',
    AlertOLE2Macros: 'yes',
    AlertBrokenExecutables: 'yes',
    // Two sets in memory at once would be 2.5 GB.
    ConcurrentDatabaseReload: 'no',
    // Before it loads new signatures it answers nobody until its idle threads have ended, by default after 30 s.
    IdleTimeout: 1,
    SelfCheck: 600,
  }
}

/** Settings as clamd and freshclam read them; what has several values is given once for each. */
export const lines = (values: Record<string, string | number | string[]>): string =>
  Object.entries(values)
    .flatMap(([name, value]) =>
      [value].flat().map((each) => `${name} ${/\s/.test(String(each)) ? `"${each}"` : each}\n`),
    )
    .join('')
