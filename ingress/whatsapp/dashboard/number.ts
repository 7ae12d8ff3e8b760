import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as templates from '#sql/whatsapp/templates.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import {
  actionButton,
  copyable,
  emptyState,
  parentLink,
  renderFault,
  showSecretOnce,
  tokenField,
} from '../../http/html/parts.ts'
import { connect, remove } from '../numbers.ts'
import { webhookUrl } from '../webhook-url.ts'
import { section } from './conversations.ts'

const path = '/app/whatsapp/number'

const mostTemplates = 100

export const overview = page({
  path: '/whatsapp/number',
  summary: 'Show the organisation’s number and templates',
  section,
  permission: 'log:read',
  async view({ db, member, may, host }) {
    const number = (await numbers.findByOrgs(db, [member.orgId])).get(member.orgId)
    const write = may('areas:write')
    if (!number) {
      const make = write && html`<a class="button primary" href="${path}/new">Connect a number</a>`
      const main = html`${parentLink('WhatsApp', section.path)}<div class="title"><h1>Your number</h1>${make}</div>
${emptyState('Your messages use the platform’s number.', 'With a number of your WhatsApp business account, you also have your own templates.')}`
      return { title: 'Your number', main }
    }
    const all = { where: everything, before: undefined, limit: mostTemplates }
    const found = await templates.list(db, number.account_id, all)
    const hand = write && html`<a class="button" href="/app/whatsapp/templates/new">Submit a template</a>`
    const main = html`${parentLink('WhatsApp', section.path)}<h1>${number.display_phone ?? number.phone_number_id}</h1>
${facts(number, webhookUrl(host, number.id))}
${write && removal(member, number.id)}
<div class="title"><h2>Templates</h2>${hand}</div>
${found.length === 0 ? emptyState('No templates yet.', 'To reach people who have not written in the last 24 hours, you need a template.') : templateTable(found)}`
    return { title: 'Your number', main }
  },
})

const facts = (number: numbers.Facts, webhookUrl: string): Html => html`<dl class="facts">
<div><dt>Name</dt><dd>${number.verified_name ?? '–'}</dd></div>
<div><dt>Phone number ID</dt><dd class="break">${number.phone_number_id}</dd></div>
<div><dt>Business account</dt><dd class="break">${number.account_id}</dd></div>
<div><dt>Connected</dt><dd>${ago(number.created_at)}</dd></div>
<div><dt>Webhooks</dt><dd class="break">${number.subscribed ? html`<span class="good">WhatsApp sends webhooks to Millrace</span>` : html`${statusBadge('failed', { shown: 'not set up' })}: enter this URL in the Meta app`} ${copyable(webhookUrl, 'the URL')}</dd></div>
</dl>`

const removal = (member: Member, id: string): Html =>
  html`<div class="actions spaced">${actionButton(member, `${path}/remove`, 'Remove this number', { grave: true, fields: { id } })}</div>`

const templateTable = (shown: readonly templates.Template[]): Html =>
  dataTable('Templates', shown, {
    Name: ({ name }) => name,
    Language: ({ language }) => language,
    Category: ({ category }) => category.toLowerCase(),
    Review: [
      'break',
      ({ status, reason }) =>
        html`${statusBadge(status.toLowerCase())}${reason && html` <span class="quiet">${reason}</span>`}`,
    ],
    'Last update': ({ noted_at }) => ago(noted_at),
  })

export const { show: askForNumber, submit: add } = formPage({
  path: '/whatsapp/number/new',
  summary: 'Connect a number',
  section,
  permission: 'areas:write',
  fields: z.object({
    phone_number_id: z.string(),
    business_account_id: z.string(),
    access_token: z.string(),
    app_secret: z.string(),
  }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Your number', path)}<h1>Connect a number</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'phone_number_id', label: 'Phone number ID', required: true, hint: 'In the Meta app, see WhatsApp → API setup.' })}
${textField(filled, { name: 'business_account_id', label: 'Business account ID', required: true })}
${textField(filled, { name: 'access_token', label: 'Access token', required: true, hint: 'Token of a system user. The token is encrypted and never shown again.' })}
${textField(filled, { name: 'app_secret', label: 'App secret', required: true, hint: 'See Settings → Basic. WhatsApp signs its webhooks with this secret.' })}
<button>Connect number</button></form>`
    return { title: 'Connect a number', main }
  },
  async submit({ ask, given }) {
    const body = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.trim()]))
    const reply = z.object({ verify_token: z.string(), webhook_url: z.string(), webhook_subscribed: z.boolean() })
    const { verify_token, webhook_url, webhook_subscribed } = await ask(connect, { body }, reply)
    if (webhook_subscribed) return { to: path, told: 'Number connected.' }
    const main = html`${parentLink('Your number', path)}<h1>Number connected</h1>
<p>WhatsApp does not send webhooks to Millrace yet. In the Meta app, under WhatsApp → Configuration, enter this URL:</p><p>${copyable(webhook_url, 'the URL')}</p>
${showSecretOnce(verify_token, 'The verify token for this URL is shown only once.')}`
    return { view: { title: 'Connected', main } }
  },
})

export const removeNumber = action({
  path: '/whatsapp/number/remove',
  summary: 'Remove a number',
  permission: 'areas:write',
  fields: z.object({ id: Id }),
  back: () => path,
  async perform({ ask, given: { id } }) {
    await ask(remove, { params: { id } }, z.unknown())
    return { to: path, told: 'Number removed. Pending messages fail.' }
  },
})
