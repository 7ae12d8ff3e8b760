import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { readElement } from '../../http/pages/element-files.ts'
import { openFile } from '../../http/pages/open-routes.ts'
import { sendVersioned } from '../../http/pages/static-files.ts'
import { route } from '../../http/route.ts'

const { version, has, send } = readElement({
  folder: new URL('./element/', import.meta.url),
  parts: ['mill-chat.js', 'feed.js', 'view.js', 'style.js'],
  className: 'MillChat',
  path: 'mill-chat',
})

const script = { ...openFile, cors: true, viewers: true } as const

export const load = route({
  ...script,
  path: '/live/mill-chat.js',
  summary: 'Load the chat element',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, 'element.js', 'public, max-age=300')
  },
})

export const file = route({
  ...script,
  path: '/live/mill-chat/{version}/{file}',
  summary: 'Load a file of the chat element',
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    if (!has(params.file)) throw notFound('file')
    await sendVersioned(ctx, send, version, { params })
  },
})
