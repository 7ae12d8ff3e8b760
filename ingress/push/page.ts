import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender, sendVersioned } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const ours = (name: string) => readFileSync(new URL(`./page/${name}`, import.meta.url), 'utf8')

const files = { 'client.js': ours('client.js'), 'installation.js': ours('installation.js') }

/** The version changes with the files, so they can be cached forever. */
const version = Object.values(files)
  .reduce((hash, text) => hash.update(text), createHash('sha256'))
  .digest('hex')
  .slice(0, 12)

/** Module at a fixed URL. It imports both parts, so that a web page loads them at the same time. */
const entry = `import './client/${version}/installation.js'
export { connect, PushError } from './client/${version}/client.js'
`

/** Removes the import and export statements of a module. */
const plain = (text: string) =>
  text
    .split('\n')
    .filter((line) => !line.startsWith('import '))
    .map((line) => (line.startsWith('export ') ? line.slice('export '.length) : line))
    .join('\n')

/**
 * Classic script for `importScripts`. Its names are in their own scope, so they cannot conflict with names of the
 * site’s worker.
 */
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

export const load = route({
  ...script,
  path: '/client.js',
  summary: 'Load the push client for web pages',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, 'entry.js', 'public, max-age=300')
  },
})

export const declarations = route({
  ...script,
  path: '/client.d.ts',
  summary: 'Load the types of the push client',
  async handle({ ctx }) {
    await send(ctx, 'client.d.ts', 'public, max-age=300')
  },
})

/**
 * Handles `GET /push/v1/worker.js`: code for a site’s service worker. It has a fixed URL, because browsers reload
 * imported code at least once a day (Service Workers §Update).
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

export const file = route({
  ...script,
  path: '/client/{version}/{file}',
  summary: 'Load a file of the push client',
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    if (!Object.hasOwn(files, params.file)) throw notFound('file')
    await sendVersioned(ctx, send, version, { params })
  },
})
