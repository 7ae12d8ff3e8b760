import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { readElement } from '../http/pages/element-files.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { sendVersioned } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const { version, has, send } = readElement({
  folder: new URL('./element/', import.meta.url),
  parts: ['mill-bot.js', 'forms.js', 'style.js'],
  className: 'MillBot',
  path: 'mill-bot',
})

const script = { ...openFile, cors: true } as const

export const load = route({
  ...script,
  path: '/element.js',
  summary: 'Get the bot element for web pages',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, 'element.js', 'public, max-age=300')
  },
})

export const file = route({
  ...script,
  path: '/mill-bot/{version}/{file}',
  summary: 'Get a file of the bot element',
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    if (!has(params.file)) throw notFound('file')
    await sendVersioned(ctx, send, version, { params })
  },
})
