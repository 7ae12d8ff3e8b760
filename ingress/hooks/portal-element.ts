import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { readElement } from '../http/pages/element-files.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { sendVersioned } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const { version, has, send } = readElement({
  folder: new URL('./element/', import.meta.url),
  parts: [
    'mill-webhooks.js',
    ...['client.js', 'dom.js', 'endpoint-form.js', 'endpoint.js', 'endpoints.js', 'example.js', 'form-rows.js'],
    ...['messages.js', 'pages.js', 'style.js', 'types.js', 'words.js'],
  ],
  className: 'MillWebhooks',
  path: 'portal-element',
})

const script = { ...openFile, cors: true } as const

export const load = route({
  ...script,
  path: '/portal-element.js',
  summary: 'Load the webhooks element',
  async handle({ ctx }) {
    ctx.set('cross-origin-resource-policy', 'cross-origin')
    await send(ctx, 'element.js', 'public, max-age=300')
  },
})

export const file = route({
  ...script,
  path: '/portal-element/{version}/{file}',
  summary: 'Load a file of the webhooks element',
  params: z.object({ version: z.string(), file: z.string() }),
  async handle({ ctx, params }) {
    if (!has(params.file)) throw notFound('file')
    await sendVersioned(ctx, send, version, { params })
  },
})
