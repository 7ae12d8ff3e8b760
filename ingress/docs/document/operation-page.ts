import { type ClientCall, callTabs } from '../../http/html/call-tabs.ts'
import { codeBlock } from '../../http/html/highlight.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { inline, rendered } from '../markdown.ts'
import { fieldList, valueParts } from './fields.ts'
import type { Reference, ReferenceOperation } from './reference.ts'
import { type Schema, type Shape, shapeOf } from './shapes.ts'

interface NamedSchema {
  name: string
  required?: boolean
  description?: string
  schema: Schema
}

/** Returns the page of an operation. The request and response are on the left, and the calls are on the right. */
export function operationPage(operation: ReferenceOperation, { components }: Reference): Html {
  const { area, method, answer, problems } = operation
  const shape = (schema: Schema): Shape => shapeOf(schema, components)
  const parameters = (title: string, list: readonly NamedSchema[]) =>
    list.length > 0 && html`<h2 id="${idOf(title)}">${title}</h2>${parameterList(list, shape)}`
  return html`<article class="operation">
<p class="crumbs"><a href="/docs/reference/${area.name}">${area.title}</a> <code>${operation.id}</code></p>
<h1>${method.summary}</h1>
<p class="endpoint"><span class="method ${method.verb.toLowerCase()}">${method.verb}</span> <code>${method.path}</code></p>
<div class="columns"><div class="told">
${method.description && rendered(method.description)}
${factList(operation)}
${parameters('Path parameters', method.pathParameters)}
${parameters('Query parameters', method.query)}
${parameters('Headers', operation.headers)}
${method.body && html`<h2 id="body">Body</h2><p class="quiet">${method.body.required ? 'Required. ' : ''}${operation.bodyNote ?? ''}</p>${valueParts(shape(method.body.schema))}`}
<h2 id="response">Response ${answer.status}</h2>
${answer.contents.length === 0 && html`<p class="quiet">No body.</p>`}
${answer.contents.map(({ type, schema }) => html`<p class="quiet"><code>${type}</code></p>${type === 'application/json' && valueParts(shape(schema))}`)}
${headerList(answer.headers)}
<h2 id="errors">Errors</h2>
<ul class="fields">${problems.map(({ status, code, when }) => html`<li><p>${status} <a href="/docs/guides/errors#${code}"><code class="name">${code}</code></a></p><p>${inline(when)}</p></li>`)}</ul>
</div>
<div class="calls-column">${calls(operation)}</div></div>
</article>`
}

/** Returns the id of a section. The prefix keeps it different from the ids of the page frame. */
const idOf = (title: string) => `request-${title.toLowerCase().replaceAll(' ', '-')}`

function factList({ method, scopes }: ReferenceOperation): Content {
  const facts: Content[] = [
    method.open
      ? html`<li>No API key required.</li>`
      : html`<li>Required scope: ${scopes.map((scope, i) => html`${i > 0 && ' and '}<a href="/docs/guides/authentication#${scope}"><code>${scope}</code></a>`)}</li>`,
    method.idempotent && html`<li>Accepts an <a href="/docs/guides/idempotency">idempotency key</a>.</li>`,
    method.repeatable && html`<li>Safe to repeat.</li>`,
    method.paged && html`<li>Returns <a href="/docs/guides/pagination">paginated results</a>.</li>`,
    method.streams && html`<li>Can return server-sent events.</li>`,
  ]
  return html`<ul class="facts">${facts}</ul>`
}

const parameterList = (list: readonly NamedSchema[], shape: (schema: Schema) => Shape): Content =>
  fieldList({
    ...shape({}),
    fields: list.map(({ name, required = false, description, schema }) => {
      const told = shape(schema)
      return { ...told, name, required, description: description ?? told.description }
    }),
  })

/** Returns the list of headers. The errors page describes the headers that all responses have. */
function headerList(headers: ReferenceOperation['answer']['headers']): Content {
  const own = headers.filter(({ name }) => name !== 'x-request-id')
  return (
    own.length > 0 &&
    html`<h3>Headers</h3><ul class="fields">${own.map(({ name, description }) => html`<li><p><code class="name">${name}</code></p><p>${inline(description)}</p></li>`)}</ul>`
  )
}

function calls({ snippets, answer, id }: ReferenceOperation): Html {
  return html`<section class="calls" aria-label="Calls">
${callTabs(snippets.map(({ label, source }) => ({ label: label as ClientCall['label'], code: source })))}
<p class="quiet"><code>$MILLRACE_BASE_URL</code> and <code>$MILLRACE_API_KEY</code>: see the <a href="/docs/guides/quickstart">quickstart</a>.</p>
</section>
${answer.sample !== undefined && html`<section aria-label="Sample response for ${id}"><h2 class="small" id="sample">Sample response</h2>${codeBlock(JSON.stringify(answer.sample, undefined, 2), 'json')}</section>`}`
}
