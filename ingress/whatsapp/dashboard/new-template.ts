import { z } from 'zod'
import * as rows from '#sql/whatsapp/templates.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { optionalField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { listTemplateVariables } from '../template-variables.ts'
import { create } from '../templates.ts'
import { chatPreview, toBubble, type VariableValues } from './bubble.ts'
import { keepForm } from './refusal.ts'
import { findAccount, numberPath, section, templatesPath } from './section.ts'
import { atFields, renderTemplateFields, templateFields, toParts, valuesOf } from './template-form.ts'

const previewPath = `${templatesPath}/preview`

/** Returns the example of each variable, or its name in brackets. */
export function exampleValues(template: Pick<rows.Template, 'components'>): VariableValues {
  const variables = listTemplateVariables(template)
  return new Map(
    variables.map(({ component, index, name, example }) => [
      `${component} ${name ?? index}`,
      example ?? `[${name ?? index}]`,
    ]),
  )
}

const pane = (given: Parameters<typeof toParts>[0]): Html => {
  const template = { components: toParts(given).map(({ component }) => component) }
  return html`<section class="preview-pane" aria-labelledby="preview-title"><h2 id="preview-title">Preview</h2><div data-preview-result>${chatPreview(toBubble(template, exampleValues(template)))}</div></section>`
}

export const preview = action({
  path: '/whatsapp/templates/preview',
  summary: 'Preview a WhatsApp template',
  permission: 'areas:write',
  fields: templateFields,
  back: () => templatesPath,
  async perform({ given }) {
    const main = html`${parentLink('Templates', templatesPath)}<h1>Preview</h1>${pane(given)}`
    return { view: { title: 'Preview', main } }
  },
})

export const { show: askForTemplate, submit: handIn } = formPage({
  path: '/whatsapp/templates/new',
  summary: 'Submit a template for review',
  section,
  permission: 'areas:write',
  query: z.object({ from: optionalField(z.string().max(500)) }),
  fields: templateFields,
  async view({ db, member, services, query: { from }, filled, fault }) {
    const { own, accountId } = await findAccount(db, services, member.orgId)
    const before =
      from !== undefined && accountId !== undefined ? await rows.findByProviderId(db, accountId, from) : null
    const isNew = Object.keys(filled.given).length === 0
    const state = { ...filled, given: isNew && before ? valuesOf(before) : filled.given }
    const missing = emptyState(
      'Templates need your own number. The templates of the platform’s number belong to the operator.',
      html`<a class="button primary" href="${numberPath}/new">Connect a number</a>`,
    )
    const form = html`<div class="with-preview"><form class="form" method="post" data-preview="${previewPath}">${tokenField(member)}
${renderTemplateFields(state)}
<p class="actions"><button>Submit template</button> <button class="plain unscripted" formaction="${previewPath}" formnovalidate>Preview</button></p></form>
${pane(state.given)}</div>`
    const main = html`${parentLink('Templates', templatesPath)}<h1>Submit a template</h1>${renderFault(fault)}
<p class="lead">Meta reviews each template, usually within minutes. A submitted template cannot be changed. To change it, submit a copy with another name.</p>
${own ? form : missing}`
    return { title: 'Submit a template', main }
  },
  async submit({ ask, given }) {
    const parts = toParts(given)
    const body = {
      name: given.name.trim(),
      language: given.language.trim(),
      category: given.category,
      components: parts.map(({ component }) => component),
    }
    const reply = z.object({ id: z.string(), status: z.string() })
    const { id, status } = await keepForm(atFields(ask(create, { body }, reply), parts))
    return { to: `${templatesPath}/${encodeURIComponent(id)}`, told: `Template submitted: ${status.toLowerCase()}.` }
  },
})
