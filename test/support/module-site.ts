import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire, findPackageJSON, stripTypeScriptTypes } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Scope } from './postgres.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Serves an empty page and npm packages as modules of browsers, without a bundler. Modules of CommonJS are wrapped.
 * `named` are the modules of the page by name: a package, or a path in this repository.
 */
export async function moduleSite(t: Scope, named: Record<string, string>): Promise<string> {
  const imports = Object.fromEntries(
    Object.entries(named).map(([name, target]) => [
      name,
      `/m${target.startsWith('/') ? resolve(root, target.slice(1)) : resolveFrom(`${root}package.json`, target)}`,
    ]),
  )
  const page = `<!doctype html><title>page</title><script type="importmap">${JSON.stringify({ imports })}</script>`
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://site').pathname)
    if (!path.startsWith('/m/')) return void response.setHeader('content-type', 'text/html').end(page)
    asModule(path.slice(2)).then(
      ({ type, text }) => response.setHeader('content-type', type).end(text),
      (error) => response.writeHead(404).end(String(error)),
    )
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.teardown(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Returns the file of a package for `import`, or for `require` if the package does not name one. */
function resolveFrom(importer: string, name: string): string {
  const base = pathToFileURL(importer)
  const about = name.startsWith('.') ? undefined : findPackageJSON(name, base)
  if (about === undefined) return createRequire(base).resolve(name)
  const { name: own, exports } = JSON.parse(readFileSync(about, 'utf8'))
  const part = `.${name.slice(own.length)}`
  const entry = entryOf(exports?.[part] ?? (part === '.' ? exports : undefined))
  return entry ? resolve(dirname(about), entry) : createRequire(base).resolve(name)
}

/** Returns the entry of a package for `import`. */
function entryOf(entry: unknown): string | undefined {
  if (typeof entry === 'string') return entry
  const { import: first, default: second } = (entry ?? {}) as Record<string, unknown>
  return first || second ? entryOf(first ?? second) : undefined
}

async function asModule(path: string): Promise<{ type: string; text: string }> {
  if (!path.startsWith('/') || path.includes('..')) throw new Error('no such module')
  const text = await readFile(path, 'utf8')
  if (path.endsWith('.json')) return { type: 'application/json', text }
  const code = path.endsWith('.ts') ? stripTypeScriptTypes(text) : text
  const isModule = /\.(?:ts|mjs)$/.test(path) || /(?:^|[;}\n])\s*(?:import|export)\b/.test(code)
  return { type: 'text/javascript', text: isModule ? rewritten(code, path) : wrapped(code, path) }
}

/** Replaces the names of packages in imports by paths. */
const rewritten = (code: string, path: string): string =>
  code.replace(
    /(\bfrom\s*|\bimport\s*)(['"])([^'"./][^'"]*)\2/g,
    (_, before, quote, name) => `${before}${quote}/m${resolveFrom(path, name)}${quote}`,
  )

/** Wraps a module of CommonJS: its requirements become imports. */
function wrapped(code: string, path: string): string {
  const names = [...new Set(Array.from(code.matchAll(/\brequire\((['"])([^'"]+)\1\)/g), ([, , name = '']) => name))]
  const imports = names.map((name, i) => `import m${i} from '/m${resolveFrom(path, name)}'`)
  const table = names.map((name, i) => `${JSON.stringify(name)}: m${i}`)
  const exported = Array.from(code.matchAll(/\bexports\.(\w+)\s*=/g), ([, name = '']) => name)
  const named = [...new Set(exported)].filter((name) => name !== 'default')
  return `${imports.join('\n')}
const module = { exports: {} }
;((module, exports, require, global) => {${code}\n})(module, module.exports, (name) => ({ ${table.join(', ')} })[name], globalThis)
export default module.exports
${named.map((name) => `const n_${name} = module.exports.${name}; export { n_${name} as ${name} }`).join('\n')}`
}
