import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as rows from '#sql/whatsapp/templates.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago } from '../../http/html/format.ts'
import { html, quiet } from '../../http/html/html.ts'
import { actionButton, copyable, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { listTemplateVariables } from '../template-variables.ts'
import { remove } from '../templates.ts'
import { chatPreview, toBubble } from './bubble.ts'
import { exampleValues } from './new-template.ts'
import { findAccount, section, templatesPath } from './section.ts'
import { explainReview, templateState } from './template-state.ts'
import { buildComponents } from './template-values.ts'

const params = z.object({ template_id: z.string().max(500) })

export const read = page({
  path: '/whatsapp/templates/{template_id}',
  summary: 'Show a WhatsApp template and its review',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, region, services, params: { template_id: id } }) {
    const { own, accountId } = await findAccount(db, services, member.orgId)
    if (accountId === undefined) throw notFound('template')
    const found = await mustFind(rows.findByProviderId(db, accountId, id), 'template')
    const write = may('areas:write')
    const place = encodeURIComponent(id)
    const variables = listTemplateVariables(found)
    const template = {
      name: found.name,
      language: { code: found.language },
      components: buildComponents(variables, ({ example }) => example ?? '…'),
    }
    const main = html`${parentLink('Templates', templatesPath)}<div class="title"><h1>${found.name}</h1>${write && html`<p class="actions">${own && html`<a class="button" href="${templatesPath}/new?from=${place}">Submit a copy</a> `}<a class="button primary" href="${section.path}/send?template=${place}">Send a test</a></p>`}</div>
${own ? await region(`whatsapp-template/${id}`) : html`<p class="lead">${templateState(found)} ${explainReview(found)}</p>`}
<dl class="facts"><div><dt>Template</dt><dd>${copyable(found.provider_id, 'the template ID')}</dd></div>
<div><dt>Language</dt><dd>${found.language}</dd></div><div><dt>Category</dt><dd>${found.category.toLowerCase()}</dd></div></dl>
<section><h2>Preview</h2><div class="columns">${chatPreview(toBubble(found, exampleValues(found)))}</div></section>
<section><h2>Variables</h2>${
      variables.length === 0
        ? quiet('none')
        : dataTable('Variables', variables, {
            Variable: ({ component, name, index }) => html`${component} <code>${name ?? index}</code>`,
            Type: ({ type }) => type,
            Example: ['break', ({ example }) => example ?? quiet('none')],
          })
    }</section>
${write && apiCall(services, 'whatsapp.messages.sendTemplate', { body: { to: '+3725550123', template } }, { title: 'Send this template' })}
${write && own && html`<section><h2>Delete</h2><p class="lead">Deletes the template in this language. WhatsApp reserves the name of an approved template for 30 days.</p><div>${actionButton(member, `${templatesPath}/${place}/remove`, 'Delete template', { of: found.name, grave: true })}</div></section>`}`
    return { title: found.name, main }
  },
})

export const templateRegion: OrgRegion = {
  everyMs: 3_000,
  permission: 'log:read',
  async read(db, orgId, [id = '']) {
    const own = (await numbers.findByOrgs(db, [orgId])).get(orgId)
    const found = own ? await rows.findByProviderId(db, own.account_id, id) : null
    return (
      found &&
      html`<p class="lead">${templateState(found)} ${explainReview(found)} <span class="quiet">Last update ${ago(found.noted_at)}.</span></p>`
    )
  },
}

export const drop = action({
  path: '/whatsapp/templates/{template_id}/remove',
  summary: 'Delete a WhatsApp template',
  permission: 'areas:write',
  params,
  back: ({ template_id }) => `${templatesPath}/${encodeURIComponent(template_id)}`,
  async perform({ ask, params: { template_id: id } }) {
    await ask(remove, { params: { id } }, z.unknown())
    return { to: templatesPath, told: 'Template deleted.' }
  },
})
