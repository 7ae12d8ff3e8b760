import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { methodsOf } from '../../sdk/generate/methods.ts'
import { type Snippet, snippetsOf } from '../../sdk/generate/snippets.ts'
import { html } from '../http/console/html.ts'
import { service } from '../http/container.ts'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { catalogue, documents } from '../http/services.ts'
import { areasOf, sendDocsPage } from './frame.ts'

const params = z.object({ area: z.string() })

// biome-ignore lint/suspicious/noExplicitAny: the shape of an OpenAPI document.
type Json = any

/** Gives the document of an area's operations with their calls, as JSON; undefined for an area that has none. */
export const references = service<(area: string) => string | undefined>({
  name: 'docs.references',
  open: ({ services }) => createReferences(services(documents).textOf),
})

/** Each is made once, at the first look: the whole document is a megabyte. */
function createReferences(documentOf: (origin: string) => string): (area: string) => string | undefined {
  let whole: { document: Json; calls: ReadonlyMap<string, Snippet[]> } | undefined
  const made = new Map<string, string>()
  return (area) => {
    const known = made.get(area)
    if (known !== undefined) return known
    whole ??= readWhole(documentOf('/'))
    const { document, calls } = whole
    const tags = document.tags.filter(({ name }: { name: string }) => name === area)
    if (tags.length === 0) return undefined
    const text = JSON.stringify({ ...document, tags, paths: withCalls(area, document, calls) })
    made.set(area, text)
    return text
  }
}

function readWhole(text: string): { document: Json; calls: ReadonlyMap<string, Snippet[]> } {
  const document = JSON.parse(text)
  const { schemas } = document.components
  return { document, calls: new Map(methodsOf(document).map((method) => [method.id, snippetsOf(method, schemas)])) }
}

/** The paths of an area, each operation with its calls (`x-codeSamples`). */
function withCalls(area: string, { paths }: Json, calls: ReadonlyMap<string, Snippet[]>): Json {
  const ofArea = Object.entries<Json>(paths).map(([path, item]) => {
    const operations = Object.entries<Json>(item).filter(([, { tags }]) => tags.includes(area))
    const shown = operations.map(([verb, operation]) => [
      verb,
      { ...operation, 'x-codeSamples': calls.get(operation.operationId) },
    ])
    return [path, Object.fromEntries(shown)] as const
  })
  return Object.fromEntries(ofArea.filter(([, item]) => Object.keys(item).length > 0))
}

/** `GET /docs/reference/{area}`: the operations of an area, to be read and tried. */
export const page = route({
  ...openPage,
  path: '/docs/reference/{area}',
  summary: 'The operations of an area',
  raw: 'text/html',
  problems: ['not_found'],
  params,
  async handle({ ctx, params: { area }, services }) {
    const operations = services(catalogue)
    const title = areasOf(operations).find(([name]) => name === area)?.[1]
    if (!title) throw notFound('area')
    const head = html`<link rel="stylesheet" href="/docs/assets/swagger-ui.css">`
    const main = html`<div id="docs" data-document="/docs/reference/${area}/openapi.json"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script type="module" src="/docs/assets/reference.js"></script>`
    sendDocsPage(ctx, { title, path: ctx.path, main, head, operations })
  },
})

/** `GET /docs/reference/{area}/openapi.json`: the document of an area's operations, each with its call in every client. */
export const document = route({
  ...openPage,
  path: '/docs/reference/{area}/openapi.json',
  summary: 'The document of an area, with calls',
  raw: 'application/json',
  problems: ['not_found'],
  params,
  async handle({ ctx, params: { area }, services }) {
    const text = services(references)(area)
    if (!text) throw notFound('area')
    ctx.set('cache-control', 'no-cache')
    ctx.body = text
  },
})
