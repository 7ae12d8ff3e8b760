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

/** `/app/webhooks/new`: adds a webhook; its secret is shown this once. */
export const { show: askForWebhook, submit: make } = formPage({
  path: '/webhooks/new',
  summary: 'Add a webhook',
  section,
  permission: 'webhooks:write',
  stepUp: true,
  fields: z.object(webhookFields),
  async view({ member, filled, fault }) {
    const main = html`${trail('Webhooks', section.path)}<h1>Add a webhook</h1>${faultOf(fault)}
<form class="form" method="post">${tokenField(member)}
${webhookPart(filled)}
<button>Add it</button></form>`
    return { title: 'Add a webhook', main }
  },
  async submit({ db, doer, given, services }) {
    const wanted = webhookOf(given)
    const added = await db.transaction((tx) => add(tx, actOf(doer), wanted, services(signingSecret)))
    if (!added) throw conflict(`An organisation may have ${maxEndpoints} webhooks for all areas.`, 'webhook_limit')
    const title = titleOf(added.endpoint)
    const main = html`${trail('Webhooks', section.path)}<h1>${title}</h1>
${secretOnce(added.secret, 'Your server verifies by it that an event is from here. Nobody can show it again.')}
<p><a class="button" href="/app/webhooks/${added.endpoint.id}">Go on to the webhook</a></p>`
    return { view: { title, main } }
  },
})
