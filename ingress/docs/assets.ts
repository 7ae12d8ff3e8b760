import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { themeScript } from '../http/html/assets.ts'
import { withTokens } from '../http/html/tokens.ts'
import { openFile } from '../http/pages/open-routes.ts'
import { fileSender, type StaticFile } from '../http/pages/static-files.ts'
import { route } from '../http/route.ts'

const own = (name: string, type: string): StaticFile => ({
  type,
  read: () => readFile(new URL(`./site/${name}`, import.meta.url)),
})

const sheets = ['base', 'header', 'contents', 'text', 'reference', 'front', 'phone']

const shared = (path: string) => new URL(`../http/html/assets/${path}`, import.meta.url)

const readSheets = async () =>
  withTokens(shared('styles/calls.css'), ...sheets.map((name) => new URL(`./site/styles/${name}.css`, import.meta.url)))

/** Both must run before the page is first painted. */
const readThemeScript = async () =>
  Buffer.concat([themeScript, await readFile(new URL('./site/client.js', import.meta.url))])

/** Sends the files of the documentation. Each file is read once. The pages load nothing from other hosts. */
const send = fileSender({
  'docs.css': { type: 'text/css', read: readSheets },
  'docs.js': own('docs.js', 'text/javascript'),
  'search.js': own('search.js', 'text/javascript'),
  'calls.js': { type: 'text/javascript', read: () => readFile(shared('calls.js')) },
  'copy.js': own('copy.js', 'text/javascript'),
  'front.js': own('front.js', 'text/javascript'),
  'theme.js': { type: 'text/javascript', read: readThemeScript },
  'icon.svg': own('icon.svg', 'image/svg+xml'),
  'minisearch.js': {
    type: 'text/javascript',
    read: () => readFile(new URL(import.meta.resolve('minisearch'))),
  },
})

export const asset = route({
  ...openFile,
  path: '/docs/assets/{file}',
  summary: 'Get a documentation asset',
  params: z.object({ file: z.string() }),
  async handle({ ctx, params }) {
    await send(ctx, params.file, 'public, max-age=3600')
  },
})
