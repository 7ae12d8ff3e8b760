import { readdirSync, readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { html } from '../http/html/html.ts'
import { renderDocsProblem } from '../http/openapi/problem-page.ts'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { sendDocsPage } from './frame.ts'
import { fileUrl, guides, isHere, onDisk } from './guides.ts'
import { linkedFrom } from './markdown.ts'

let known: ReadonlyMap<string, string> | undefined

/**
 * Returns the files and folders that guides link to, and the files in those folders, by URL. No other files are served.
 */
function linked(): ReadonlyMap<string, string> {
  known ??= new Map(
    [...new Set(guides().flatMap(linkedFrom))]
      .filter(isHere)
      .flatMap((path) => [path, ...filesIn(path).map((file) => `${path}/${file}`)])
      .map((path) => [fileUrl(path), path]),
  )
  return known
}

function filesIn(path: string): string[] {
  if (!statSync(onDisk(path)).isDirectory()) return []
  return readdirSync(onDisk(path), { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? entry.name : []))
}

export const file = route({
  ...openPage,
  path: '/docs/files/{file}',
  summary: 'Get a file that a guide links to',
  raw: 'text/plain; charset=utf-8',
  problems: ['not_found'],
  renderProblem: renderDocsProblem,
  params: z.object({ file: z.string() }),
  async handle({ ctx, params, services }) {
    const path = linked().get(fileUrl(params.file))
    if (path === undefined) throw notFound('file')
    if (!statSync(onDisk(path)).isDirectory()) {
      ctx.set('x-content-type-options', 'nosniff')
      if (path.endsWith('.png')) ctx.type = 'image/png'
      ctx.body = path.endsWith('.png') ? readFileSync(onDisk(path)) : readFileSync(onDisk(path), 'utf8')
      return
    }
    const main = html`<h1>${path}</h1>
<ul>${filesIn(path).map((name) => html`<li><a href="${fileUrl(`${path}/${name}`)}">${name}</a></li>`)}</ul>`
    ctx.type = 'text/html; charset=utf-8'
    sendDocsPage(ctx, { title: path, path: ctx.path, main, operations: services(catalogue) })
  },
})
