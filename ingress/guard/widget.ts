import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { withTokens } from '../http/html/tokens.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender, type StaticFile } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const require = createRequire(import.meta.url)
const ours = (name: string) => readFileSync(new URL(`./widget/${name}`, import.meta.url))
/** Modules are loaded by folder, because @noble/hashes does not export all modules that scrypt needs. */
const noble = (name: string) => readFileSync(join(dirname(require.resolve('@noble/hashes/scrypt.js')), name))

/** Modules of the widget. Each module comes after the modules that it imports. */
const parts = ['sha256.js', 'puzzles.js', 'solve.js', 'client.js', 'words.js', 'style.js', 'view.js', 'element.js']

/** Files for solving in workers: our own, hash-wasm’s scrypt, and the JavaScript scrypt with its modules. */
const solver: Record<string, Buffer> = {
  'solver.js': Buffer.from(oneFile(['sha256.js', 'puzzles.js', 'solver.js'])),
  'hash-wasm.js': readFileSync(require.resolve('hash-wasm/dist/scrypt.umd.min.js')),
  ...Object.fromEntries(
    ['scrypt.js', 'pbkdf2.js', 'hmac.js', 'sha2.js', '_md.js', '_u64.js', 'utils.js'].map((name) => [
      name,
      noble(name),
    ]),
  ),
}

const files: Record<string, Buffer> = {
  ...solver,
  'page.css': withTokens(new URL('./widget/page.css', import.meta.url)),
}

const widget = oneFile(parts)

/** All files have one version, so that they find each other by relative names and can be cached forever. */
const version = [Buffer.from(widget), ...Object.values(files)]
  .reduce((hash, bytes) => hash.update(bytes), createHash('sha256'))
  .digest('hex')
  .slice(0, 12)

/**
 * Combines our modules into one file, so that a page loads one file. Each module has its own scope. The modules must
 * only import each other, with one import per line, and must export declarations. A test runs the result in a browser.
 */
function oneFile(names: readonly string[]): string {
  return names.map(moduleScope).join('\n')
}

function moduleScope(name: string): string {
  const exported: string[] = []
  const lines = ours(name)
    .toString()
    .split('\n')
    .map((line) => {
      const [, imported, from] = /^import (\{[\w, ]+\}) from '\.\/(\w+)\.js'$/.exec(line) ?? []
      if (imported !== undefined) return `const ${imported} = ${from}Module`
      const [, declared] = /^export (?:async )?(?:const|class|function) (\w+)/.exec(line) ?? []
      if (declared === undefined) return line
      exported.push(declared)
      return line.slice('export '.length)
    })
  const scope = `{\n${lines.join('\n')}\nreturn { ${exported.join(', ')} }\n}`
  return `const ${name.replace('.js', '')}Module = (() => ${scope})()`
}

/** The base URL of the versioned files does not depend on the URL of the widget. */
const entry = `${widget.replaceAll('import.meta.url', `new URL('./widget/${version}/', import.meta.url)`)}
export const { GuardError, getToken } = clientModule
export const { MillGuard } = elementModule
`

const typeOf = (name: string) => (name.endsWith('.css') ? 'text/css' : 'text/javascript; charset=utf-8')
const send = fileSender(
  Object.fromEntries(
    Object.entries({ ...files, 'widget.js': entry, 'node.js': ours('node.js'), 'compat.js': ours('compat.js') }).map(
      ([name, bytes]): [string, StaticFile] => [name, { type: typeOf(name), read: async () => bytes }],
    ),
  ),
)

export const styleUrl = `/v1/guard/widget/${version}/page.css`

/** Policy of workers. It replaces the policy of the web page, which may forbid WebAssembly. */
const workerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"

const script = { ...openFile, cors: true } as const

export const load = route({
  ...script,
  path: '/widget.js',
  summary: 'Load the widget',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, 'widget.js', 'public, max-age=300')
  },
})

/** Handles `GET /v1/guard/compat.js`, for pages with the markup of reCAPTCHA, Turnstile or hCaptcha. */
export const compat = route({
  ...script,
  path: '/compat.js',
  summary: 'Load the code for pages of other providers',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, 'compat.js', 'public, max-age=300')
  },
})

/** Handles `GET /v1/guard/solver.js`. This is the worker at a fixed URL, for web pages that name it. */
export const worker = route({
  ...script,
  path: '/solver.js',
  summary: 'Load the code of the widget’s workers',
  async handle({ ctx }) {
    ctx.redirect(`/v1/guard/widget/${version}/solver.js`)
    ctx.set('cache-control', 'public, max-age=300')
  },
})

export const node = route({
  ...script,
  path: '/node.js',
  summary: 'Load the solver for Node',
  async handle({ ctx }) {
    await send(ctx, 'node.js', 'public, max-age=300')
  },
})

export const file = route({
  ...script,
  path: '/widget/{version}/{file}',
  summary: 'Load a file of the widget',
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    if (params.version !== version || !Object.hasOwn(files, params.file)) throw notFound('file')
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    ctx.set('content-security-policy', workerPolicy)
    await send(ctx, params.file, 'public, max-age=31536000, immutable')
  },
})
