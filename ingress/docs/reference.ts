import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { type Html, html } from '../http/html/html.ts'
import type { OperationEntry } from '../http/openapi/document.ts'
import { renderDocsProblem } from '../http/openapi/problem-page.ts'
import { operationList, sortOperations } from '../http/openapi/viewer.ts'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { areaMarkdown, operationMarkdown } from './document/operation-markdown.ts'
import { areasOf, sendDocsPage } from './frame.ts'
import { guides } from './guides.ts'
import { library } from './library.ts'
import { inline } from './markdown.ts'

const params = z.object({ area: z.string() })

const markdown = 'text/markdown; charset=utf-8'

export const page = route({
  ...openPage,
  path: '/docs/reference/{area}',
  summary: 'List the operations of an area',
  raw: 'text/html',
  problems: ['not_found'],
  renderProblem: renderDocsProblem,
  params,
  async handle({ ctx, params, services }) {
    const area = params.area.replace(/\.md$/, '')
    const operations = services(catalogue)
    const title = areasOf(operations).find(([name]) => name === area)?.[1]
    if (!title) throw notFound('area')
    const { descriptions, operations: all } = services(library).reference()
    const description = descriptions.get(area) ?? ''
    if (area !== params.area) {
      ctx.type = markdown
      ctx.body = areaMarkdown(
        title,
        description,
        all.filter((one) => one.area.name === area),
      )
      return
    }
    const own = sortOperations(operations.filter((one) => one.area.name === area))
    const guide = guides().find(({ name }) => name === area)
    const main = html`<h1>${title}: reference</h1>
<p class="lead">${inline(description)}</p>
<p>${guide && html`Guide: <a href="/docs/guides/${area}">${guide.title}</a>. `}OpenAPI document of this area: <a href="/docs/reference/${area}/openapi.json"><code>openapi.json</code></a>.</p>
${byResource(own)}`
    sendDocsPage(ctx, { title: `${title}: reference`, path: ctx.path, main, area, plain: `${ctx.path}.md`, operations })
  },
})

function byResource(operations: readonly OperationEntry[]): Html[] {
  const resourceOf = ({ id }: OperationEntry) => id.split('.')[1] ?? ''
  return [...new Set(operations.map(resourceOf))].map(
    (resource) =>
      html`<h2 id="${resource}">${resource.replaceAll('-', ' ')}</h2>${operationList(operations.filter((one) => resourceOf(one) === resource))}`,
  )
}

export const operation = route({
  ...openPage,
  path: '/docs/reference/{area}/{operation}',
  summary: 'Get the reference of an operation',
  raw: 'text/html',
  problems: ['not_found'],
  renderProblem: renderDocsProblem,
  params: params.extend({ operation: z.string() }),
  async handle({ ctx, params: { area, operation: asked }, services }) {
    const name = asked.replace(/\.md$/, '')
    const reference = services(library).reference()
    const found = reference.operations.find((one) => one.area.name === area && one.name === name)
    if (!found) throw notFound('operation')
    if (name !== asked) {
      ctx.type = markdown
      ctx.body = operationMarkdown(found, reference)
      return
    }
    const { summary: title } = found.method
    const main = services(library).operationPageOf(found)
    sendDocsPage(ctx, { title, path: ctx.path, main, area, plain: `${ctx.path}.md`, operations: services(catalogue) })
  },
})

export const document = route({
  ...openPage,
  path: '/docs/reference/{area}/openapi.json',
  summary: 'Get the OpenAPI document of an area',
  raw: 'application/json',
  problems: ['not_found'],
  renderProblem: renderDocsProblem,
  params,
  async handle({ ctx, params: { area }, services }) {
    const text = services(library).areaDocumentOf(area)
    if (text === undefined) throw notFound('area')
    ctx.set('cache-control', 'no-cache')
    ctx.body = text
  },
})
