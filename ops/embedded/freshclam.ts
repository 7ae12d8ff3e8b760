import { chown, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { formatSettings, makeFolders } from './clamd.ts'
import { copyProgram } from './own-copy.ts'
import { type Command, launchCommand } from './postgres-account.ts'

export interface FreshclamOptions {
  program: string
  dir: string
  /** True to download ClamAV’s signatures. False to download only the additional files. */
  published: boolean
  mirror: string | undefined
  /** URLs of additional signature files. clamd recognises their formats by their names. */
  urls: string[]
}

/**
 * Returns the command that keeps the signatures of an embedded clamd up to date (freshclam(1)). The command checks
 * twelve times per day, and `watchSignatures` makes clamd load new signatures. If the network is unavailable, the next
 * check tries again.
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
  await writeFile(file, formatSettings(settings), { mode: 0o600 })
  if (account) await chown(file, account.uid, account.gid)
  return await launchCommand(await copyProgram(program, dir, account), ['--daemon', '--config-file', file], dir, 'KILL')
}

function sources({ published, mirror, urls }: FreshclamOptions) {
  return {
    ...(mirror ? { PrivateMirror: mirror.replace(/(?<!\/)\/+$/, '') } : { DatabaseMirror: 'database.clamav.net' }),
    // A failure with one of these files would prevent the download of the others.
    ...(published ? {} : { ExcludeDatabase: ['main', 'daily', 'bytecode'] }),
    DatabaseCustomURL: urls,
  }
}
