import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { docsPage } from '../http/docs.ts'
import { route } from '../http/route.ts'
import { fileSender, type StaticFile } from '../http/static-files.ts'

const require = createRequire(import.meta.url)

/** The page of all areas opens with their names alone: some hundred operations at once take a browser many seconds. */
const script = `SwaggerUIBundle({
  url: document.body.dataset.document,
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: location.pathname === '/docs' ? 'none' : 'list',
  validatorUrl: null,
  tryItOutEnabled: true,
})
`

/** The files the documentation pages load, each from its package; read once. */
const files: Record<string, StaticFile> = {
  'swagger-ui.css': { type: 'text/css', read: () => readFile(require.resolve('swagger-ui-dist/swagger-ui.css')) },
  'swagger-ui-bundle.js': {
    type: 'text/javascript',
    read: () => readFile(require.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
  },
  'favicon-32x32.png': {
    type: 'image/png',
    read: () => readFile(require.resolve('swagger-ui-dist/favicon-32x32.png')),
  },
  'start.js': { type: 'text/javascript', read: async () => script },
}

const forBrowsers = { method: 'GET', public: true, withoutDatabase: true, hidden: true, status: 200 } as const

const send = fileSender(files)

/** `GET /`: leads to the documentation. */
export const root = route({
  ...forBrowsers,
  path: '/',
  summary: 'The way to the documentation',
  raw: true,
  async handle({ ctx }) {
    ctx.redirect('/docs')
  },
})

/** `GET /docs`: the whole API for people. */
export const page = route({
  ...docsPage('Millrace API', '/v1/openapi.json'),
  path: '/docs',
  summary: 'Documentation of the whole API',
  hidden: true,
})

/** `GET /docs/assets/{file}`: what the documentation pages load; no other host is asked for anything. */
export const asset = route({
  ...forBrowsers,
  path: '/docs/assets/{file}',
  summary: 'A file of the documentation pages',
  raw: 'application/octet-stream',
  problems: ['not_found'],
  params: z.object({ file: z.string() }),
  async handle({ ctx, params }) {
    await send(ctx, params.file, 'public, max-age=86400')
  },
})
