import { chown, mkdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { type Account, serverAccount } from '../embedded/postgres-account.ts'

/** A file of `ops/deploy/pgbackrest`, as operators copy it. */
export const shipped = async (name: string): Promise<string> =>
  await readFile(fileURLToPath(new URL(`../deploy/pgbackrest/${name}`, import.meta.url)), 'utf8')

/** A text with lines of it replaced; throws when one of them is not there, as what is tried is what is shipped. */
export function filled(text: string, changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((made, [from, to]) => {
    if (!made.includes(from)) throw new Error(`No shipped file contains "${from}".`)
    return made.replaceAll(from, () => to)
  }, text)
}

/** Writes a file that only the account of the servers reads. */
export async function writeOwned(path: string, text: string, account: Account | undefined): Promise<void> {
  await writeFile(path, text, { mode: 0o600 })
  if (account) await chown(path, account.uid, account.gid)
}

/** Makes folders of that account. */
export async function makeOwned(paths: readonly string[], account: Account | undefined): Promise<void> {
  for (const path of paths) {
    await mkdir(path, { mode: 0o700 })
    if (account) await chown(path, account.uid, account.gid)
  }
}

/** Who the servers below a folder run as. */
export const accountOf = async (folder: string): Promise<Account | undefined> =>
  await serverAccount(folder, ['postgres', 'nobody'])
