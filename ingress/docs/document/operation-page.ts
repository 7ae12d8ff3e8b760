import { type Content, type Html, html } from '../../http/console/html.ts'
import { type ClientCall, callTabs } from '../call-tabs.ts'
import { codeBlock } from '../highlight.ts'
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

/** The page of an operation: what it takes and answers at the left, its calls at the right. */
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
${parameters('Path', method.pathParameters)}
${parameters('Query', method.query)}
${parameters('Headers', operation.headers)}
${method.body && html`<h2 id="body">Body</h2><p class="quiet">${method.body.required ? 'Required. ' : ''}${operation.bodyNote ?? ''}</p>${valueParts(shape(method.body.schema))}`}
<h2 id="answer">Answer ${answer.status}</h2>
${answer.contents.length === 0 && html`<p class="quiet">Without a body.</p>`}
${answer.contents.map(({ type, schema }) => html`<p class="quiet"><code>${type}</code></p>${type === 'application/json' && valueParts(shape(schema))}`)}
${headerList(answer.headers)}
<h2 id="problems">Problems</h2>
<ul class="fields">${problems.map(({ status, code, when }) => html`<li><p>${status} <a href="/docs/guides/errors#${code}"><code class="name">${code}</code></a></p><p>${inline(when)}</p></li>`)}</ul>
</div>
<div class="calls-column">${calls(operation)}</div></div>
</article>`
}

/** Apart from the ids of the page's frame. */
const idOf = (title: string) => `given-in-${title.toLowerCase()}`

function factList({ method, scopes }: ReferenceOperation): Content {
  const facts: Content[] = [
    method.open
      ? html`<li>No key is needed.</li>`
      : html`<li>Scope: ${scopes.map((scope, i) => html`${i > 0 && ' and '}<a href="/docs/guides/authentication#${scope}"><code>${scope}</code></a>`)}</li>`,
    method.idempotent && html`<li>Takes an <a href="/docs/guides/idempotency">idempotency key</a>.</li>`,
    method.repeatable && html`<li>May be sent again: twice is as good as once.</li>`,
    method.paged && html`<li>A list, <a href="/docs/guides/pagination">page by page</a>.</li>`,
    method.streams && html`<li>Can answer with server-sent events.</li>`,
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

/** Headers that every answer has are told once, on the page on errors. */
function headerList(headers: ReferenceOperation['answer']['headers']): Content {
  const own = headers.filter(({ name }) => name !== 'x-request-id')
  return (
    own.length > 0 &&
    html`<h3>Headers</h3><ul class="fields">${own.map(({ name, description }) => html`<li><p><code class="name">${name}</code></p><p>${inline(description)}</p></li>`)}</ul>`
  )
}

/** The operation's call in every client, and a sample of its response. */
function calls({ snippets, answer, id }: ReferenceOperation): Html {
  return html`<section class="calls" aria-label="Calls">
${callTabs(snippets.map(({ label, source }) => ({ label: label as ClientCall['label'], code: source })))}
<p class="quiet"><code>$base</code> and <code>$key</code>: <a href="/docs/guides/quickstart">first calls</a>.</p>
</section>
${answer.sample !== undefined && html`<section aria-label="An answer of ${id}"><h2 class="small" id="sample">An answer</h2>${codeBlock(JSON.stringify(answer.sample, undefined, 2), 'json')}</section>`}`
}
