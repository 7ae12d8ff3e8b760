import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Names the heuristics by the sources they consist of, so that no change of them can be forgotten: the same files give the same
 * name on every machine, and any other a new one, which has objects scanned again.
 */
export async function versionOfSources(folder: string): Promise<string> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => /\.(?:ts|wat|wasm)$/.test(name))
  const hash = createHash('sha256')
  for (const name of names.sort()) {
    const bytes = await readFile(join(folder, name))
    const told = name.endsWith('.wasm') ? bytes : Buffer.from(bytes.toString().replaceAll('\r\n', '\n'))
    hash.update(`${name}\0${told.length}\0`).update(told)
  }
  return hash.digest('hex').slice(0, 12)
}

let known: Promise<string> | undefined

/** Names what this process looks for beside the engine; the sources are read once. */
export function heuristicsVersion(): Promise<string> {
  known ??= versionOfSources(fileURLToPath(new URL('.', import.meta.url)))
  return known
}
