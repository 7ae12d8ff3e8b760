import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender, type StaticFile, sendVersioned } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const parts = ['mill-preferences.js', 'style.js', 'words.js']

const files: Record<string, Buffer> = Object.fromEntries(
  parts.map((name) => [name, readFileSync(new URL(`./element/${name}`, import.meta.url))]),
)

/** All files have one version, so that they find each other by relative names and can be cached forever. */
const version = Object.values(files)
  .reduce((hash, bytes) => hash.update(bytes), createHash('sha256'))
  .digest('hex')
  .slice(0, 12)

/** Imports every part, so that a web page loads all parts at the same time. */
const entry = `${parts.map((name) => `import './preferences-element/${version}/${name}'`).join('\n')}
export { MillPreferences } from './preferences-element/${version}/mill-preferences.js'
`

const send = fileSender(
  Object.fromEntries(
    Object.entries({ ...files, 'element.js': Buffer.from(entry) }).map(([name, bytes]): [string, StaticFile] => [
      name,
      { type: 'text/javascript; charset=utf-8', read: async () => bytes },
    ]),
  ),
)

const script = { ...openFile, cors: true } as const

export const load = route({
  ...script,
  path: '/preferences-element.js',
  summary: 'Load the preferences element',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, 'element.js', 'public, max-age=300')
  },
})

export const file = route({
  ...script,
  path: '/preferences-element/{version}/{file}',
  summary: 'Load a file of the preferences element',
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    if (!Object.hasOwn(files, params.file)) throw notFound('file')
    await sendVersioned(ctx, send, version, { params })
  },
})
