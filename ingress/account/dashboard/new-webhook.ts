import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { actOf } from '#tasks/account/rules/doer.ts'
import { add, maxEndpoints } from '#tasks/webhooks/rules/manage.ts'
import { html } from '../../http/console/html.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { faultOf, secretOnce, tokenField, trail } from '../../http/dashboard/parts.ts'
import { signingSecret } from '../../http/services.ts'
import { webhookFields, webhookOf, webhookPart } from './webhook-form.ts'
import { section, titleOf } from './webhooks.ts'

export const { show: askForWebhook, submit: make } = formPage({
  path: '/webhooks/new',
  summary: 'Create a webhook',
  section,
  permission: 'webhooks:write',
  stepUp: true,
  fields: z.object(webhookFields),
  async view({ member, filled, fault }) {
    const main = html`${trail('Webhooks', section.path)}<h1>Create webhook</h1>${faultOf(fault)}
<form class="form" method="post">${tokenField(member)}
${webhookPart(filled)}
<button>Create webhook</button></form>`
    return { title: 'Create webhook', main }
  },
  async submit({ db, doer, given, services }) {
    const wanted = webhookOf(given)
    const added = await db.transaction((tx) => add(tx, actOf(doer), wanted, services(signingSecret)))
    if (!added)
      throw conflict(`An organisation can have up to ${maxEndpoints} webhooks for all areas.`, 'webhook_limit')
    const title = titleOf(added.endpoint)
    const main = html`${trail('Webhooks', section.path)}<h1>${title}</h1>
${secretOnce(added.secret, 'Your server verifies events with this secret. Copy it now. It is not shown again.')}
<p><a class="button" href="/app/webhooks/${added.endpoint.id}">Show webhook</a></p>`
    return { view: { title, main } }
  },
})
