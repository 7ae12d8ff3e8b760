import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Html, html } from '../http/console/html.ts'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { areasOf, sendDocsPage } from './frame.ts'
import { chapters, guides } from './guides.ts'
import { renderGuide } from './markdown.ts'

/** `GET /`: leads to the documentation. */
export const root = route({
  ...openPage,
  path: '/',
  summary: 'The way to the documentation',
  raw: true,
  async handle({ ctx }) {
    ctx.redirect('/docs')
  },
})

/** `GET /docs`: where reading begins. */
export const home = route({
  ...openPage,
  path: '/docs',
  summary: 'Documentation of the whole API',
  raw: 'text/html',
  async handle({ ctx, services }) {
    const operations = services(catalogue)
    const count = (name: string) => operations.filter(({ area }) => area.name === name).length
    const main = html`<h1>Millrace</h1>
<p>One HTTP/JSON service: ${operations.length} operations. The machine-readable contract is <a href="/v1/openapi.json"><code>/v1/openapi.json</code></a>,
a list of every operation <a href="/v1"><code>/v1</code></a>.</p>
${chapters().map((chapter) => html`<h2>${chapter.title}</h2><ul class="cards">${chapter.guides.map(({ name, title }) => html`<li><a href="/docs/guides/${name}">${title}</a></li>`)}</ul>`)}
<h2>Reference</h2>
<ul class="cards">${areasOf(operations).map(([name, title]) => html`<li><a href="/docs/reference/${name}">${title}</a> <span class="quiet">${count(name)}</span></li>`)}</ul>`
    sendDocsPage(ctx, { title: 'Millrace', path: '/docs', main, operations })
  },
})

/** `GET /docs/guides/{guide}`: a guide as a page, or its Markdown as it is. */
export const guide = route({
  ...openPage,
  path: '/docs/guides/{guide}',
  summary: 'A guide',
  raw: 'text/html',
  problems: ['not_found'],
  params: z.object({ guide: z.string() }),
  async handle({ ctx, params, services }) {
    const found = guides().find(({ name }) => name === params.guide)
    if (!found) throw notFound('guide')
    ctx.vary('accept')
    if (ctx.accepts('text/html', 'text/markdown') === 'text/markdown') {
      ctx.type = 'text/markdown; charset=utf-8'
      ctx.body = found.markdown
      return
    }
    const main = html`<article>${new Html(renderGuide(found))}</article>`
    sendDocsPage(ctx, { title: found.title, path: ctx.path, main, operations: services(catalogue) })
  },
})
