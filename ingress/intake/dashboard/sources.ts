import { z } from 'zod'
import { everything } from '#sql/filters.ts'
import * as rows from '#sql/intake/sources.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { emptyState, linkButton, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { secretField } from '../../http/html/secret-field.ts'
import { create } from '../sources.ts'
import { providerTitles, sampleSource, section, sourcePath, sourcesPath } from './section.ts'
import { atFields, sourceFields, sourceInputs, toSource } from './source-fields.ts'
import { setupSteps } from './steps.ts'

export const list = page({
  path: '/intake/sources',
  summary: 'List sources of webhooks',
  section,
  permission: 'log:read',
  async view({ db, member, may, services }) {
    const page = { where: everything, before: undefined, limit: rows.maxSources }
    const found = await rows.list(db, member.orgId, page)
    const add = may('areas:write') && linkButton(`${sourcesPath}/new`, 'Add source', { primary: true })
    const main = html`${parentLink(section.title, section.path)}<div class="title"><h1>Sources</h1>${found.length > 0 && add}</div>
${found.length === 0 ? emptyState('Your sources appear here.', 'A source has a URL that you enter at Stripe, GitHub or another provider.', add) : sourceTable(found)}
${add && apiCall(services, 'intake.sources.create', { body: sampleSource })}`
    return { title: 'Sources', main }
  },
})

const sourceTable = (found: readonly rows.Source[]): Html =>
  dataTable('Sources', found, {
    Source: ['break', (one) => html`<a href="${sourcePath(one.id)}">${one.name}</a>`],
    Provider: (one) => providerTitles[one.provider],
    Status: (one) => statusBadge(one.status),
    'Forwarded to': ['wide break', (one) => (one.forward ? one.forward.url : quiet('only stored'))],
    'Invalid signatures': ['number', (one) => count(one.rejected)],
    Created: (one) => ago(one.created_at),
  })

const Made = z.object({ id: z.string(), url: z.string(), secret: z.string().nullable() })

export const { show: ask, submit: add } = formPage({
  path: '/intake/sources/new',
  summary: 'Add a source of webhooks',
  section,
  permission: 'areas:write',
  query: z.object({ provider: rows.Provider.default('stripe') }),
  fields: z.object({ ...sourceFields, secret: optionalField(z.string().max(500)) }),
  async view({ member, filled, fault, query: { provider } }) {
    const tabs = rows.providers.map(
      (one) =>
        html`<li><a href="?provider=${one}"${one === provider && html` aria-current="page"`}>${providerTitles[one]}</a></li>`,
    )
    const main = html`${parentLink('Sources', sourcesPath)}<h1>Add a source</h1>
<nav class="tabs" aria-label="Provider"><ul>${tabs}</ul></nav>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: provider === 'hmac' || provider === 'standard' ? '' : providerTitles[provider], hint: 'For example, Orders.' })}
${secretField(filled, { name: 'secret', label: 'Secret', hint: secretHints[provider] })}
${sourceInputs(provider, filled)}
<p class="actions"><button>Add source</button> <a class="button plain" href="${sourcesPath}">Cancel</a></p></form>`
    return { title: 'Add a source', main }
  },
  async submit({ ask: call, given, query: { provider } }) {
    const { secret, ...fields } = given
    const body = { ...toSource(provider, fields), provider, secret }
    const made = await atFields(call(create, { body }, Made))
    if (made.secret === null) return { to: sourcePath(made.id), told: 'Source added.' }
    const main = html`<h1>Source added</h1>
${showSecretOnce(made.secret, 'Enter this secret at the provider. It is not shown again.')}
<section><h2>Next steps</h2>${setupSteps(provider)}<p class="actions">${linkButton(sourcePath(made.id), 'Open source', { primary: true })}</p></section>`
    return { view: { title: 'Source added', main } }
  },
})

const created = 'Optional. Leave blank to let Millrace create one.'

const secretHints: Readonly<Record<rows.Provider, string>> = {
  stripe: 'Optional. Stripe shows the signing secret after you have entered the URL. You can set it later.',
  github: created,
  shopify: 'Client secret of your app. You can also set it later.',
  slack: 'Signing secret of your app. You can also set it later.',
  standard: created,
  hmac: created,
}
