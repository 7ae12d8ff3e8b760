import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileSender, type StaticFile } from './static-files.ts'

interface Element {
  /** Folder of the modules, with `/` at its end. */
  folder: URL
  /** Names of the modules. The first one exports the class. */
  parts: readonly [string, ...string[]]
  /** Exported name of the class. */
  className: string
  /** Last part of the path at which the modules are served. */
  path: string
}

/**
 * Reads the modules of a custom element. All have one version, so that they find each other by relative names and can be
 * cached forever. `send` also has `element.js`, which imports each module, so that a web page loads them at the same time.
 */
export function readElement({ folder, parts, className, path }: Element) {
  const files: Record<string, Buffer> = Object.fromEntries(
    parts.map((name) => [name, readFileSync(new URL(name, folder))]),
  )
  const version = Object.values(files)
    .reduce((hash, bytes) => hash.update(bytes), createHash('sha256'))
    .digest('hex')
    .slice(0, 12)
  const at = (name: string) => `'./${path}/${version}/${name}'`
  const entry = `${parts.map((name) => `import ${at(name)}`).join('\n')}\nexport { ${className} } from ${at(parts[0])}\n`
  const toFile = (bytes: Buffer): StaticFile => ({ type: 'text/javascript; charset=utf-8', read: async () => bytes })
  const all = Object.entries({ ...files, 'element.js': Buffer.from(entry) })
  return {
    version,
    has: (name: string): boolean => Object.hasOwn(files, name),
    send: fileSender(Object.fromEntries(all.map(([name, bytes]) => [name, toFile(bytes)]))),
  }
}
