import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const ours = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')

const files = { 'client.js': ours('client.js'), 'installation.js': ours('installation.js') }

/** Changes with either of the files, which so are kept for ever. */
const version = Object.values(files)
  .reduce((hash, text) => hash.update(text), createHash('sha256'))
  .digest('hex')
  .slice(0, 12)

/** The module at the address that stays: it names both parts, so that a page asks for them at once. */
const entry = `import './client/${version}/installation.js'
export { connect, PushError } from './client/${version}/client.js'
`

/** A script without the marks of a module. */
const plain = (text: string) =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('import '))
    .map((line) => (line.startsWith('export ') ? line.slice('export '.length) : line))
    .join('\n')

/** One classic script, as `importScripts` takes it: its names are none of the worker's that loads it. */
const worker = `(() => {
${plain(files['installation.js'])}
${plain(ours('worker.js'))}})()
`

const send = fileSender(
  Object.fromEntries(
    Object.entries({ 'entry.js': entry, 'worker.js': worker, 'client.d.ts': ours('client.d.ts'), ...files }).map(
      ([name, text]) => [
        name,
        { type: `text/${name.endsWith('.ts') ? 'plain' : 'javascript'}; charset=utf-8`, read: async () => text },
      ],
    ),
  ),
)

const script = { ...openFile, cors: true } as const

/** `GET /push/v1/client.js`: the module by which a page subscribes its browser. */
export const load = route({
  ...script,
  path: '/client.js',
  summary: 'Load the push client for pages',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, 'entry.js', 'public, max-age=300')
  },
})

/** `GET /push/v1/client.d.ts`: the types of that module. */
export const declarations = route({
  ...script,
  path: '/client.d.ts',
  summary: 'Load the types of the push client',
  async handle({ ctx }) {
    await send(ctx, 'client.d.ts', 'public, max-age=300')
  },
})

/**
 * `GET /push/v1/worker.js`: what a site's service worker imports. Browsers ask for imported scripts again once a day at least
 * (Service Workers §Update), so it has one address.
 */
export const importWorker = route({
  ...script,
  path: '/worker.js',
  summary: 'Load the code for your service worker',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, 'worker.js', 'public, max-age=300')
  },
})

/** `GET /push/v1/client/{version}/{file}`: what the client is made of. */
export const file = route({
  ...script,
  path: '/client/{version}/{file}',
  summary: 'Load a file of the push client',
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    if (params.version !== version || !Object.hasOwn(files, params.file)) throw notFound('file')
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, params.file, 'public, max-age=31536000, immutable')
  },
})
