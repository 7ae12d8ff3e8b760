import { readFile, rename, writeFile } from 'node:fs/promises'

/** Writes JSON to a file that only its owner can read. Readers see either the old file or the new file. */
export async function writePrivate(path: string, value: unknown): Promise<void> {
  const next = `${path}.${process.pid}.new`
  await writeFile(next, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(next, path)
}

export async function readPrivate(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new Error(`${path} cannot be read`, { cause: error })
  }
}
