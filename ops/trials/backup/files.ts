import { chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Account, serverAccount } from '../../embedded/postgres-account.ts'

export const readShippedFile = async (name: string): Promise<string> =>
  await readFile(fileURLToPath(new URL(`../../deploy/pgbackrest/${name}`, import.meta.url)), 'utf8')

/** Replaces lines of a text. Throws if a line does not exist, so that the test always uses the shipped files. */
export function replaceLines(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((made, [from, to]) => {
    if (!made.includes(from)) throw new Error(`No shipped file contains "${from}".`)
    return made.replaceAll(from, () => to)
  }, text)
}

export async function writeOwnedFile(path: string, text: string, account: Account | undefined): Promise<void> {
  await writeFile(path, text, { mode: 0o600 })
  if (account) await chown(path, account.uid, account.gid)
}

export async function createOwnedFolders(paths: readonly string[], account: Account | undefined): Promise<void> {
  for (const path of paths) {
    await mkdir(path, { mode: 0o700 })
    if (account) await chown(path, account.uid, account.gid)
  }
}

/** Returns the account that owns the folder, so that servers run as it. */
export const getFolderOwner = async (folder: string): Promise<Account | undefined> =>
  await serverAccount(folder, ['postgres', 'nobody'])
