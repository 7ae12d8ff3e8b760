import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender, type StaticFile } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const require = createRequire(import.meta.url)

const own = (name: string, type: string): StaticFile => ({
  type,
  read: () => readFile(new URL(`./site/${name}`, import.meta.url)),
})

const ofPackage = (path: string, type: string): StaticFile => ({ type, read: () => readFile(path) })

/** The files that pages of the documentation load; read once. No other host is asked for anything. */
const send = fileSender({
  'docs.css': own('docs.css', 'text/css'),
  'docs.js': own('docs.js', 'text/javascript'),
  'copy.js': own('copy.js', 'text/javascript'),
  'theme.js': own('theme.js', 'text/javascript'),
  'reference.js': own('reference.js', 'text/javascript'),
  'minisearch.js': {
    type: 'text/javascript',
    read: () => readFile(new URL(import.meta.resolve('minisearch'))),
  },
  'swagger-ui.css': ofPackage(require.resolve('swagger-ui-dist/swagger-ui.css'), 'text/css'),
  'swagger-ui-bundle.js': ofPackage(require.resolve('swagger-ui-dist/swagger-ui-bundle.js'), 'text/javascript'),
  'favicon-32x32.png': ofPackage(require.resolve('swagger-ui-dist/favicon-32x32.png'), 'image/png'),
})

/** `GET /docs/assets/{file}`: a style sheet, script or picture of the documentation. */
export const asset = route({
  ...openFile,
  path: '/docs/assets/{file}',
  summary: 'A file of the documentation pages',
  params: z.object({ file: z.string() }),
  async handle({ ctx, params }) {
    await send(ctx, params.file, 'public, max-age=3600')
  },
})
