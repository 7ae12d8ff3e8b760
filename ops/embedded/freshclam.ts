import { chown, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { configurationOf, lines, makeFolders } from './clamd.ts'
import { ownCopy } from './own-copy.ts'
import { type Command, launch } from './postgres-account.ts'

/**
 * Tells the command that keeps the signatures of an embedded clamd up to date (freshclam(1)): twelve times a day it fetches
 * what is new and has clamd load it; while the network has nothing it tries again at the next time.
 */
export async function prepareFreshclam(program: string, dir: string): Promise<Command> {
  const { account, signatures } = await makeFolders(dir)
  const file = join(resolve(dir), 'freshclam.conf')
  const settings = {
    Foreground: 'yes',
    DatabaseDirectory: signatures,
    DatabaseMirror: 'database.clamav.net',
    Checks: 12,
    ConnectTimeout: 15,
    ReceiveTimeout: 300,
    MaxAttempts: 2,
    NotifyClamd: configurationOf(dir),
  }
  await writeFile(file, lines(settings), { mode: 0o600 })
  if (account) await chown(file, account.uid, account.gid)
  return await launch(await ownCopy(program, dir, account), ['--daemon', '--config-file', file], dir, 'KILL')
}
