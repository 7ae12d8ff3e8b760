import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const imports = /^(?:import|export)\b[^'"]*['"](\.[^'"]+\.ts)['"]/gm

/**
 * Returns the modules `*-environment.ts` that a test file imports, also through its helpers. The configuration is read
 * once per process, so files with different environments cannot share one.
 */
export async function environmentsOf(file: string): Promise<string[]> {
  const seen = new Set<string>()
  await follow(file, seen)
  return [...seen].filter((path) => path.endsWith('-environment.ts')).toSorted()
}

async function follow(path: string, seen: Set<string>): Promise<void> {
  if (seen.has(path) || !path.startsWith('test/')) return
  seen.add(path)
  const source = await sourceOf(path)
  for (const [, specifier = ''] of source.matchAll(imports)) await follow(join(dirname(path), specifier), seen)
}

const sources = new Map<string, Promise<string>>()

function sourceOf(path: string): Promise<string> {
  const source = sources.get(path) ?? readFile(path, 'utf8')
  sources.set(path, source)
  return source
}
