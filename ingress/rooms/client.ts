import { z } from 'zod'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender, type StaticFile, sendVersioned } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'
import { entryModule, files, typeDeclarations, version } from './client/files.ts'

const types: Record<string, string> = { css: 'text/css', js: 'text/javascript', ts: 'text/plain' }

const asFile = ([name, text]: [string, Buffer | string]): [string, StaticFile] => [
  name,
  { type: `${types[name.split('.').at(-1) as string]}; charset=utf-8`, read: async () => text },
]
const sendOpen = fileSender(
  Object.fromEntries(Object.entries({ 'client.js': entryModule, 'client.d.ts': typeDeclarations }).map(asFile)),
)
const sendPart = fileSender(Object.fromEntries(Object.entries(files).map(asFile)))

const script = { ...openFile, cors: true } as const

export const load = route({
  ...script,
  path: '/rooms/client.js',
  summary: 'Download the rooms client for web pages',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await sendOpen(ctx, 'client.js', 'public, max-age=300')
  },
})

export const declarations = route({
  ...script,
  path: '/rooms/client.d.ts',
  summary: 'Download the types of the rooms client',
  async handle({ ctx }) {
    await sendOpen(ctx, 'client.d.ts', 'public, max-age=300')
  },
})

export const file = route({
  ...script,
  path: '/rooms/client/{version}/{file}',
  summary: 'Download a file of the rooms client',
  params: z.object({ version: z.string(), file: z.string() }),
  handle: (call) => sendVersioned(call.ctx, sendPart, version, call),
})
