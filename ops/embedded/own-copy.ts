import { chmod, chown, copyFile, mkdir, rename } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Account } from './postgres-account.ts'

/**
 * Copies a program into a folder’s `bin` and returns the path. AppArmor restricts Debian’s clamd and freshclam to
 * Debian’s folders, by the path of the program.
 */
export async function copyProgram(program: string, dir: string, account: Account | undefined): Promise<string> {
  const folder = join(resolve(dir), 'bin')
  const path = join(folder, basename(program))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await copyFile(program, `${path}.new`)
  await chmod(`${path}.new`, 0o700)
  if (account) for (const each of [folder, `${path}.new`]) await chown(each, account.uid, account.gid)
  // A running program cannot be overwritten, but it can be replaced.
  await rename(`${path}.new`, path)
  return path
}
