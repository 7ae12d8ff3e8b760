import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isResponding } from '../../workers/scan/clamd/connection.ts'
import { copyProgram } from './own-copy.ts'
import { type Account, type Command, launchCommand, serverAccount } from './postgres-account.ts'
import { writeSignatures } from './signatures.ts'

export interface ClamdOptions {
  program: string
  dir: string
  maxBytes: number
  threads: number
}

/**
 * Maximum length of a path before the system's temporary folder is used. A socket path can have up to 107 bytes
 * (unix(7)).
 */
const longestPath = 100

/** Returns the path of the socket: in the folder, or in the system’s temporary folder if that path is too long. */
export function getSocketPath(dir: string): string {
  const inside = join(resolve(dir), 'clamd.sock')
  if (Buffer.byteLength(inside) <= longestPath) return inside
  const name = createHash('sha256').update(resolve(dir)).digest('hex').slice(0, 16)
  return join(tmpdir(), `millrace-${process.getuid?.() ?? 0}-${name}`, 'clamd.sock')
}

export async function prepareClamd(options: ClamdOptions): Promise<Command> {
  const { program, dir } = options
  const { account, signatures, scratch } = await makeFolders(dir)
  for (const name of await readdir(scratch)) await rm(join(scratch, name), { recursive: true, force: true })
  await prepareSignatures(dir)
  const file = getConfigurationPath(dir)
  await writeFile(file, formatSettings(settings(options, signatures, scratch)), { mode: 0o600 })
  await give(file, account)
  return await launchCommand(await copyProgram(program, dir, account), ['--config-file', file], dir, 'KILL')
}

export async function prepareSignatures(dir: string): Promise<void> {
  const { account, signatures } = await makeFolders(dir)
  await writeSignatures(signatures)
  for (const name of await readdir(signatures)) await give(join(signatures, name), account)
}

export const getConfigurationPath = (dir: string): string => join(resolve(dir), 'clamd.conf')

export const isUp = (dir: string): Promise<boolean> => isResponding({ socket: getSocketPath(dir) })

export async function makeFolders(
  dir: string,
): Promise<{ account: Account | undefined; signatures: string; scratch: string }> {
  await mkdir(dir, { recursive: true, mode: 0o700 })
  const account = await serverAccount(dir, ['clamav', 'nobody'])
  const [signatures, scratch] = ['signatures', 'scratch'].map((name) => join(resolve(dir), name)) as [string, string]
  const outside = join(getSocketPath(dir), '..')
  for (const folder of new Set([dir, signatures, scratch, outside])) {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await demandOwn(folder, account)
    await give(folder, account)
  }
  return { account, signatures, scratch }
}

/** Throws if a folder belongs to another user, because any user can create folders in the system’s temporary folder. */
async function demandOwn(folder: string, account: Account | undefined): Promise<void> {
  const { uid } = await lstat(folder)
  if (uid !== process.getuid?.() && uid !== account?.uid) throw new Error(`${folder} belongs to another user.`)
}

async function give(path: string, account: Account | undefined): Promise<void> {
  if (account) await chown(path, account.uid, account.gid)
}

/** Settings of clamd.conf(5). Exceeded limits and encrypted files are reported, not accepted. */
function settings({ dir, maxBytes, threads }: ClamdOptions, signatures: string, scratch: string) {
  return {
    Foreground: 'yes',
    LogTime: 'yes',
    DatabaseDirectory: signatures,
    TemporaryDirectory: scratch,
    LocalSocket: getSocketPath(dir),
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
    // Two signature sets in memory at the same time would need 2.5 GB.
    ConcurrentDatabaseReload: 'no',
    // Before clamd loads new signatures, it does not respond until its idle threads have ended. The default is 30 s.
    IdleTimeout: 1,
    SelfCheck: 600,
  }
}

export const formatSettings = (values: Record<string, string | number | string[]>): string =>
  Object.entries(values)
    .flatMap(([name, value]) =>
      [value].flat().map((each) => `${name} ${/\s/.test(String(each)) ? `"${each}"` : each}\n`),
    )
    .join('')
