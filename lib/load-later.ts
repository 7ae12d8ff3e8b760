import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Returns a function that loads a package on first use, because few processes need it. Also checks immediately that the
 * package is installed. If the package is missing, the process does not start, so requests do not fail later.
 */
export function loadLater<T>(name: string, load: () => Promise<T>): () => Promise<T> {
  const url = import.meta.resolve(name)
  if (url.startsWith('file:') && !existsSync(fileURLToPath(url))) {
    throw new Error(`The package ${name} is incomplete: ${fileURLToPath(url)} is missing. Run npm ci.`)
  }
  return load
}
