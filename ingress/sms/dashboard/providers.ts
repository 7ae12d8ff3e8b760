import { z } from 'zod'
import { everything } from '#sql/filters.ts'
import * as rows from '#sql/sms/providers.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../providers.ts'
import { atFields } from './kind-faults.ts'
import { kindFields, kindInputs, toKindPart } from './provider-fields.ts'
import { kindTitles, providersPath, section } from './section.ts'

export const list = page({
  path: '/sms/providers',
  summary: 'List SMS providers',
  section,
  permission: 'log:read',
  async view({ db, member, may }) {
    const found = await rows.list(db, member.orgId, { where: everything, before: undefined, limit: 100 })
    const add = may('areas:write') && linkButton(`${providersPath}/new`, 'Connect a provider', { primary: true })
    const main = html`${parentLink('SMS', section.path)}<div class="title"><h1>Providers</h1>${found.length > 0 && add}</div>
${found.length === 0 ? emptyState('Your providers appear here.', 'Connect your account at Twilio or Vonage, or any HTTP API.', add) : providerTable(found)}`
    return { title: 'Providers', main }
  },
})

const providerTable = (found: readonly rows.Facts[]): Html =>
  dataTable('Providers', found, {
    Provider: (one) =>
      html`<a href="${providersPath}/${one.id}">${one.name}</a>${one.is_default && html` ${quiet('default')}`}`,
    Kind: (one) => kindTitles[one.kind],
    Sender: (one) => one.sender ?? quiet('none'),
    Rate: (one) => `${one.per_second} per second`,
    Connected: (one) => ago(one.created_at),
  })

const text = optionalField(z.string())

export const { show: ask, submit: add } = formPage({
  path: '/sms/providers/new',
  summary: 'Connect an SMS provider',
  section,
  permission: 'areas:write',
  query: z.object({ kind: rows.Kind.default('twilio') }),
  fields: z.object({ ...kindFields, name: text, from: text, per_second: text }),
  async view({ member, filled, fault, query: { kind } }) {
    const kinds = rows.Kind.options.map(
      (one) =>
        html`<li><a href="?kind=${one}"${one === kind && html` aria-current="page"`}>${kindTitles[one]}</a></li>`,
    )
    const main = html`${parentLink('Providers', providersPath)}<h1>Connect a provider</h1>
<nav class="tabs" aria-label="Kind of provider"><ul>${kinds}</ul></nav>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: kindTitles[kind] })}
${textField(filled, { name: 'from', label: 'Sender', hint: 'Number in E.164 format, short code, or a name of up to 11 characters.' })}
${kindInputs(kind, filled)}
${textField(filled, { name: 'per_second', label: 'Messages per second', type: 'number', otherwise: '10' })}
<button>Connect provider</button></form>`
    return { title: 'Connect a provider', main }
  },
  async submit({ ask: call, given, query: { kind } }) {
    const { name = '', from, per_second, ...rest } = given
    const rate = per_second === undefined ? {} : { per_second: Number(per_second) }
    const body = { name, kind, from, ...rate, [kind]: toKindPart(kind, rest) }
    const { id } = await atFields(call(create, { body }, z.object({ id: z.string() })))
    return { to: `${providersPath}/${id}`, told: 'Provider connected.' }
  },
})
