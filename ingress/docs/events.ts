import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { codeBlock } from '../http/html/highlight.ts'
import { html } from '../http/html/html.ts'
import { renderDocsProblem } from '../http/openapi/problem-page.ts'
import { openPage } from '../http/pages/open-routes.ts'
import { route } from '../http/route.ts'
import { catalogue } from '../http/services.ts'
import { valueParts } from './document/fields.ts'
import { shapeOf } from './document/shapes.ts'
import { eventMarkdown } from './document/tables.ts'
import { sendDocsPage } from './frame.ts'
import { library } from './library.ts'
import { inline } from './markdown.ts'

export const event = route({
  ...openPage,
  path: '/docs/events/{event}',
  summary: 'Get a webhook event',
  raw: 'text/html',
  problems: ['not_found'],
  renderProblem: renderDocsProblem,
  params: z.object({ event: z.string() }),
  async handle({ ctx, params, services }) {
    const type = params.event.replace(/\.md$/, '')
    const { events, components } = services(library).reference()
    const described = events.get(type)
    if (!described) throw notFound('event')
    if (type !== params.event) {
      ctx.type = 'text/markdown; charset=utf-8'
      ctx.body = eventMarkdown(described, components)
      return
    }
    const main = html`<article class="operation">
<p class="crumbs"><a href="/docs/guides/events">Webhook events</a></p>
<h1>${type}</h1>
<div class="columns"><div class="told">
<p class="lead">${inline(described.summary)}</p>
<p>Add <code>${type}</code> to the <code>types</code> of a <a href="/docs/guides/webhooks">webhook</a> to receive this event.</p>
<h2 id="data">Fields of <code>data</code></h2>
${valueParts(shapeOf(described.schema.properties?.data ?? described.schema, components))}
</div>
<div class="calls-column"><section aria-label="Sample"><h2 class="small" id="sample">Sample payload</h2>${codeBlock(JSON.stringify(described.sample, undefined, 2), 'json')}</section></div></div>
</article>`
    sendDocsPage(ctx, {
      title: type,
      path: '/docs/guides/events',
      main,
      plain: `${ctx.path}.md`,
      operations: services(catalogue),
    })
  },
})
