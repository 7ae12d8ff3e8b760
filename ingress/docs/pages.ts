import { z } from 'zod'
import { config } from '#lib/config.ts'
import { notFound } from '#lib/errors.ts'
import { dashboardContents } from '../http/dashboard/contents.ts'
import { Html, html } from '../http/html/html.ts'
import { renderDocsProblem } from '../http/openapi/problem-page.ts'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { areasOf, dashboardLinks, sendDocsPage } from './frame.ts'
import { type Chapter, chapters, guides, quickstartName } from './guides.ts'
import { library } from './library.ts'
import { withAddresses } from './markdown.ts'
import { packagePaths } from './packages.ts'

const cards = ({ title, guides }: Chapter) =>
  html`<h3>${title}</h3><ul class="cards">${guides.map(({ name, title }) => html`<li><a href="/docs/guides/${name}">${title}</a></li>`)}</ul>`

/** Renders how to install the packed clients. `base` is the URL of this server. */
function clientSection(base: string): Html | undefined {
  const { node, python, php, go } = packagePaths()
  if (!node && !python && !php && !go) return undefined
  return html`<h2 id="clients">Client libraries</h2>
<p>This server offers the clients that match its version.</p>
${
  node &&
  html`<h3 id="node">Node and browsers</h3><pre tabindex="0"><code>npm i ${base}${node}</code></pre>
<p><a href="/docs/guides/node">Guide with examples</a>. <a href="${node}" download="millrace.tgz">Download the package</a>.</p>`
}
${
  python &&
  html`<h3 id="python">Python</h3><pre tabindex="0"><code>pip install ${base}${python}</code></pre>
<p><a href="/docs/guides/python">Guide with examples</a>. <a href="${python}" download>Download the wheel</a>.</p>`
}
${
  php &&
  html`<h3 id="php">PHP</h3><pre tabindex="0"><code>mkdir -p millrace && curl -sf ${base}${php} | tar xz -C millrace</code></pre>
<p><a href="/docs/guides/php">Guide with examples</a>. <a href="${php}" download="millrace-php.tgz">Download the package</a>.</p>`
}
${
  go &&
  html`<h3 id="go">Go</h3><pre tabindex="0"><code>mkdir -p millrace && curl -sf ${base}${go} | tar xz -C millrace</code></pre>
<p><a href="/docs/guides/go">Guide with examples</a>. <a href="${go}" download="millrace-go.tgz">Download the module</a>.</p>`
}`
}

export const home = route({
  ...openPage,
  path: '/docs',
  summary: 'Get the documentation home page',
  raw: 'text/html',
  async handle({ ctx, services }) {
    const operations = services(catalogue)
    const count = (name: string) => operations.filter(({ area }) => area.name === name).length
    const of = (side: string) => chapters().filter((chapter) => chapter.side === side)
    const main = html`<h1>Millrace</h1>
<p class="lead">One HTTP/JSON API for email, push, video, live, rooms, files, bots, a wiki and more. All areas use the same keys, errors and pagination.</p>
<ul class="ways">
<li><a href="/docs/guides/quickstart"><strong>Quickstart</strong><span>Your first email, push message and video.</span></a></li>
<li><a href="/docs/guides/authentication"><strong>Authentication</strong><span>Key types, scopes and locks.</span></a></li>
<li><a href="/docs/guides/events"><strong>Webhook events</strong><span>Every event with its fields.</span></a></li>
</ul>
${clientSection(config.PUBLIC_URL ?? `${ctx.protocol}://${ctx.host}`)}
<h2 id="build">Build</h2>
${of('build').map(cards)}
<h3 id="reference">Reference</h3>
<p>${operations.length} operations. OpenAPI document: <a href="/v1/openapi.json"><code>/v1/openapi.json</code></a>. <a href="/docs/postman.json">Postman collection</a>. List of operations: <a href="/v1"><code>/v1</code></a>. For language models: <a href="/llms.txt"><code>/llms.txt</code></a>.</p>
<ul class="cards">${areasOf(operations).map(([name, title]) => html`<li><a href="/docs/reference/${name}">${title}</a> <span class="quiet">${count(name)}</span></li>`)}</ul>
<h2 id="run">Operate</h2>
${of('run').map(cards)}`
    sendDocsPage(ctx, { title: 'Millrace', path: '/docs', main, operations })
  },
})

/** Returns a guide as HTML, or as Markdown if the path ends with `.md` or the client accepts only Markdown. */
export const guide = route({
  ...openPage,
  path: '/docs/guides/{guide}',
  summary: 'Get a guide',
  raw: 'text/html',
  problems: ['not_found'],
  renderProblem: renderDocsProblem,
  params: z.object({ guide: z.string() }),
  async handle({ ctx, params, services }) {
    const wanted = params.guide.replace(/\.md$/, '')
    const found = guides().find(({ name }) => name === wanted)
    if (!found) throw notFound('guide')
    const markdown = services(library).markdownOf(found)
    ctx.vary('accept')
    const isFile = wanted !== params.guide
    if (isFile || ctx.accepts('text/html', 'text/markdown') === 'text/markdown') {
      ctx.type = 'text/markdown; charset=utf-8'
      ctx.body = isFile ? withAddresses(found, markdown) : markdown
      return
    }
    const { body, headings } = services(library).pageOf(found)
    const { title, side } = found
    const article = new Html(
      body.text.replace('</h1>', `</h1>${dashboardLinks(wanted, services(dashboardContents)).text}`),
    )
    const page = { title, side, path: ctx.path, headings, plain: `${ctx.path}.md`, operations: services(catalogue) }
    sendDocsPage(ctx, {
      ...page,
      main: html`<article>${withBaseUrl(article, config.PUBLIC_URL ?? `${ctx.protocol}://${ctx.host}`)}</article>`,
    })
  },
})

/** Redirects the short URL of a quick start to its guide. */
export const quickstart = route({
  ...openPage,
  path: '/docs/quickstart/{framework}',
  summary: 'Get the quick start of a framework',
  raw: true,
  problems: ['not_found'],
  renderProblem: renderDocsProblem,
  params: z.object({ framework: z.string() }),
  async handle({ ctx, params }) {
    const name = quickstartName(params.framework.replace(/\.md$/, ''))
    if (!guides().some((guide) => guide.name === name)) throw notFound('quick start')
    ctx.redirect(`/docs/guides/${name}${params.framework.endsWith('.md') ? '.md' : ''}`)
  },
})

/** Replaces the base URL of the examples by the base URL of this server, so that readers can copy the examples. */
function withBaseUrl(body: Html, baseUrl: string): Html {
  return new Html(body.text.replaceAll('http://127.0.0.1:8080', () => html`${baseUrl.replace(/\/$/, '')}`.text))
}
