import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * A package that is loaded when it is first asked for, as few processes ever need it. That it is there is seen at once: a process whose
 * installation lacks it does not start, rather than fail a request on some later day.
 */
export function loadLater<T>(name: string, load: () => Promise<T>): () => Promise<T> {
  const url = import.meta.resolve(name)
  if (url.startsWith('file:') && !existsSync(fileURLToPath(url))) {
    throw new Error(`The package ${name} is not whole: there is no ${fileURLToPath(url)}; run npm ci.`)
  }
  return load
}
