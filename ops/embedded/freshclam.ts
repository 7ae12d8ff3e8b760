import { chown, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { lines, makeFolders } from './clamd.ts'
import { ownCopy } from './own-copy.ts'
import { type Command, launch } from './postgres-account.ts'

/** What freshclam fetches, and where from. */
export interface FreshclamOptions {
  program: string
  /** The folder of the embedded clamd. */
  dir: string
  /** Whether what ClamAV publishes is fetched, or further files only. */
  published: boolean
  /** The base URL of a mirror of what ClamAV publishes, in place of ClamAV's own servers. */
  mirror: string | undefined
  /** URLs of further signature files, by whose names clamd knows their formats. */
  urls: string[]
}

/**
 * Tells the command that keeps the signatures of an embedded clamd up to date (freshclam(1)): twelve times a day it fetches
 * what is new, which `watchSignatures` has clamd load; while the network has nothing it tries again at the next time.
 */
export async function prepareFreshclam(options: FreshclamOptions): Promise<Command> {
  const { program, dir } = options
  const { account, signatures } = await makeFolders(dir)
  const file = join(resolve(dir), 'freshclam.conf')
  const settings = {
    Foreground: 'yes',
    DatabaseDirectory: signatures,
    ...sources(options),
    Checks: 12,
    ConnectTimeout: 15,
    ReceiveTimeout: 300,
    MaxAttempts: 2,
  }
  await writeFile(file, lines(settings), { mode: 0o600 })
  if (account) await chown(file, account.uid, account.gid)
  return await launch(await ownCopy(program, dir, account), ['--daemon', '--config-file', file], dir, 'KILL')
}

function sources({ published, mirror, urls }: FreshclamOptions) {
  return {
    ...(mirror ? { PrivateMirror: mirror.replace(/(?<!\/)\/+$/, '') } : { DatabaseMirror: 'database.clamav.net' }),
    // A failure with one of those keeps it from what else there is.
    ...(published ? {} : { ExcludeDatabase: ['main', 'daily', 'bytecode'] }),
    DatabaseCustomURL: urls,
  }
}
