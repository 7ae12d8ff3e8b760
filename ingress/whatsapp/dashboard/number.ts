import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Id } from '#lib/ids.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import { ownAccountId, ownPhoneNumberId } from '#tasks/whatsapp/rules/sandbox-number.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, copyable, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { secretField } from '../../http/html/secret-field.ts'
import { connect, remove } from '../numbers.ts'
import { settings } from '../settings.ts'
import { webhookUrl } from '../webhook-url.ts'
import { keepForm } from './refusal.ts'
import { numberPath, section, templatesPath } from './section.ts'

export const overview = page({
  path: '/whatsapp/number',
  summary: 'Show the organisation’s number',
  section,
  permission: 'log:read',
  async view({ db, member, may, host, services }) {
    const number = (await numbers.findByOrgs(db, [member.orgId])).get(member.orgId)
    const write = may('areas:write')
    if (!number) {
      const make = write && html`<a class="button primary" href="${numberPath}/new">Connect a number</a>`
      const sandbox = write && services(settings).testPhone !== undefined && sandboxPart(member)
      const main = html`${parentLink('WhatsApp', section.path)}<div class="title"><h1>Your number</h1>${make}</div>
<p class="lead">Your messages use the platform’s number. With a number of your WhatsApp business account, you also have your own templates.</p>
<section><h2>How to connect a number</h2>${steps}</section>${sandbox}`
      return { title: 'Your number', main }
    }
    const title = number.display_phone ?? number.phone_number_id
    const main = html`${parentLink('WhatsApp', section.path)}<div class="title"><h1>${title}</h1>${write && html`<a class="button" href="${numberPath}/secrets">Replace secrets</a>`}</div>
${facts(number, webhookUrl(host, number.id))}
<section><h2>Templates</h2><p class="lead">Messages to people who have not written in the last 24 hours need a template.</p><p class="actions"><a class="button" href="${templatesPath}">Templates</a> ${write && html`<a class="button" href="${templatesPath}/new">Submit a template</a>`}</p></section>
${write && html`<section><h2>Remove</h2><p class="lead">Deletes the secrets of the number. Pending messages fail. Later messages use the platform’s number.</p>${removal(member, number.id)}</section>`}`
    return { title: 'Your number', main }
  },
})

const steps = html`<ol class="steps-of-setup">
<li>Create an app of the type Business at <b>developers.facebook.com</b>, and add the product WhatsApp.</li>
<li>Add your phone number under <b>WhatsApp → API setup</b>. Note the phone number ID and the business account ID.</li>
<li>Create a system user in the Business Manager. Give it the app and the account, and generate a token that does not expire. The token needs <code>whatsapp_business_messaging</code> and <code>whatsapp_business_management</code>.</li>
<li>Copy the app secret from <b>Settings → Basic</b>.</li>
<li>Enter the four values here. Meta checks each one, and Millrace subscribes to the webhooks.</li>
</ol>`

const sandboxPart = (member: Member): Html => html`<section><h2>Try it with the sandbox</h2>
<p class="lead">The sandbox has a second number, which approves templates after three seconds. One organisation at a time can connect it.</p>
<div>${actionButton(member, `${numberPath}/sandbox`, 'Connect the sandbox number')}</div></section>`

const facts = (number: numbers.Facts, url: string): Html => html`<dl class="facts">
<div><dt>Name</dt><dd>${number.verified_name ?? '–'}</dd></div>
<div><dt>Phone number ID</dt><dd class="break">${number.phone_number_id}</dd></div>
<div><dt>Business account</dt><dd class="break">${number.account_id}</dd></div>
<div><dt>Connected</dt><dd>${ago(number.created_at)}</dd></div>
<div><dt>Secrets</dt><dd>•••••••• stored encrypted${number.rotated_at && html`, replaced ${ago(number.rotated_at)}`}</dd></div>
<div><dt>Webhooks</dt><dd class="break">${number.subscribed ? html`${statusBadge('active')} WhatsApp sends webhooks to Millrace.` : html`${statusBadge('missing', { shown: 'not set up' })} Enter this URL in the Meta app.`} ${copyable(url, 'the URL')}</dd></div>
</dl>`

const removal = (member: Member, id: string): Html =>
  html`<div class="actions spaced">${actionButton(member, `${numberPath}/remove`, 'Remove this number', { grave: true, fields: { id } })}</div>`

const text = z.string().default('')

export const { show: askForNumber, submit: add } = formPage({
  path: '/whatsapp/number/new',
  summary: 'Connect a number',
  section,
  permission: 'areas:write',
  fields: z.object({ phone_number_id: text, business_account_id: text, access_token: text, app_secret: text }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Your number', numberPath)}<h1>Connect a number</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'phone_number_id', label: 'Phone number ID', required: true, hint: 'In the Meta app, see WhatsApp → API setup.' })}
${textField(filled, { name: 'business_account_id', label: 'Business account ID', required: true, hint: 'On the same page, below the phone number ID.' })}
${secretField(filled, { name: 'access_token', label: 'Access token', required: true, hint: 'Token of a system user. The token is encrypted and never shown again.' })}
${secretField(filled, { name: 'app_secret', label: 'App secret', required: true, hint: 'See Settings → Basic. WhatsApp signs its webhooks with this secret.' })}
<button>Connect number</button></form>
<section><h2>Steps</h2>${steps}</section>`
    return { title: 'Connect a number', main }
  },
  async submit({ ask, given }) {
    const body = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.trim()]))
    return connected(await keepForm(ask(connect, { body }, ConnectReply)))
  },
})

const ConnectReply = z.object({ verify_token: z.string(), webhook_url: z.string(), webhook_subscribed: z.boolean() })

function connected({ verify_token, webhook_url, webhook_subscribed }: z.infer<typeof ConnectReply>) {
  if (webhook_subscribed) return { to: numberPath, told: 'Number connected.' }
  const main = html`${parentLink('Your number', numberPath)}<h1>Number connected</h1>
<p>WhatsApp does not send webhooks to Millrace yet. In the Meta app, under WhatsApp → Configuration, enter this URL:</p><p>${copyable(webhook_url, 'the URL')}</p>
${showSecretOnce(verify_token, 'The verify token for this URL is shown only once.')}`
  return { view: { title: 'Connected', main } }
}

export const connectSandbox = action({
  path: '/whatsapp/number/sandbox',
  summary: 'Connect the number of the sandbox',
  permission: 'areas:write',
  back: () => numberPath,
  async perform({ ask, services }) {
    const { testPhone } = services(settings)
    const { WHATSAPP_ACCESS_TOKEN: access_token, WHATSAPP_APP_SECRET: app_secret } = config
    if (testPhone === undefined || access_token === undefined || app_secret === undefined)
      return { to: numberPath, told: 'This Millrace has no sandbox.' }
    const ids = { phone_number_id: ownPhoneNumberId, business_account_id: ownAccountId }
    return connected(await keepForm(ask(connect, { body: { ...ids, access_token, app_secret } }, ConnectReply)))
  },
})

export const removeNumber = action({
  path: '/whatsapp/number/remove',
  summary: 'Remove a number',
  permission: 'areas:write',
  fields: z.object({ id: Id }),
  back: () => numberPath,
  async perform({ ask, given: { id } }) {
    await ask(remove, { params: { id } }, z.unknown())
    return { to: numberPath, told: 'Number removed. Pending messages fail.' }
  },
})
