import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import { add, maxEndpoints } from '#tasks/webhooks/rules/manage.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { signingSecret } from '../../http/services.ts'
import { toWebhook, webhookFields, webhookInputs } from './webhook-form.ts'
import { section, webhookTitle } from './webhooks.ts'

export const { show: askForWebhook, submit: make } = formPage({
  path: '/webhooks/new',
  summary: 'Create a webhook',
  section,
  permission: 'webhooks:write',
  stepUp: true,
  fields: z.object(webhookFields),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Webhooks', section.path)}<h1>Create webhook</h1>${renderFault(fault)}
<form class="form long" method="post">${tokenField(member)}
${webhookInputs(filled)}
<div class="submit"><button class="primary">Create webhook</button> <a class="button plain" href="${section.path}">Cancel</a></div></form>`
    return { title: 'Create webhook', main }
  },
  async submit({ db, doer, given, services }) {
    const wanted = toWebhook(given)
    const added = await db.transaction((tx) => add(tx, toAct(doer), wanted, services(signingSecret)))
    if (!added)
      throw conflict(`An organisation can have up to ${maxEndpoints} webhooks for all areas.`, 'webhook_limit')
    const title = webhookTitle(added.endpoint)
    const main = html`${parentLink('Webhooks', section.path)}<h1>${title}</h1>
${showSecretOnce(added.secret, 'Your server verifies events with this secret. It is not shown again.')}
<p><a class="button" href="/app/webhooks/${added.endpoint.id}">Show webhook</a></p>`
    return { view: { title, main } }
  },
})
