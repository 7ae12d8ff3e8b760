import { z } from 'zod'
import * as members from '#sql/account/people/members.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { toAct } from '#tasks/account/rules/doer.ts'
import { change, remove, rotate } from '#tasks/webhooks/rules/manage.ts'
import { formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { signingSecret } from '../../http/services.ts'
import { demandTypesOfArea } from '../webhook-fields.ts'
import { parseInput, readNumber } from './input.ts'
import { toWebhook, webhookFields, webhookInputs } from './webhook-form.ts'
import { section, webhookTitle } from './webhooks.ts'

const shared = { section, permission: 'webhooks:write', params: z.object({ id: pathId('webhook') }) } as const

const find = (db: DatabasePool, { orgId }: Member, id: string) => mustFind(endpoints.find(db, { orgId }, id), 'webhook')

export const { show: askForChange, submit: edit } = formPage({
  ...shared,
  path: '/webhooks/{id}/edit',
  summary: 'Edit a webhook',
  stepUp: true,
  fields: z.object(webhookFields),
  async view({ db, member, params: { id }, filled, fault }) {
    const found = await find(db, member, id)
    const main = html`${parentLink(webhookTitle(found), `/app/webhooks/${id}`)}<h1>Edit ${webhookTitle(found)}</h1>${renderFault(fault)}
<p class="lead">Pending deliveries go to the new URL.</p>
<form class="form long" method="post">${tokenField(member)}
${webhookInputs(filled, found)}
<div class="submit"><button class="primary">Save webhook</button> <a class="button plain" href="/app/webhooks/${id}">Cancel</a></div></form>`
    return { title: `Edit ${webhookTitle(found)}`, main }
  },
  async submit({ db, doer, member, params: { id }, given }) {
    const wanted = toWebhook(given)
    await db.transaction(async (tx) => {
      await members.lock(tx, member.orgId)
      const before = await mustFind(endpoints.lock(tx, { orgId: member.orgId }, id), 'webhook')
      demandTypesOfArea(before.area, wanted.events)
      await change(tx, toAct(doer), before, wanted)
    })
    return { to: `/app/webhooks/${id}`, told: 'Webhook saved.' }
  },
})

const Rotation = z.object({ keep_hours: z.int().min(0).max(168) })

export const { show: askForRotation, submit: replaceSecret } = formPage({
  ...shared,
  path: '/webhooks/{id}/rotate',
  summary: 'Rotate a webhook secret',
  stepUp: true,
  fields: z.object({ keep_hours: z.string().max(20) }),
  async view({ db, member, params: { id }, filled, fault }) {
    const found = await find(db, member, id)
    const main = html`${parentLink(webhookTitle(found), `/app/webhooks/${id}`)}<h1>Rotate secret</h1>${renderFault(fault)}
<p class="lead">Until the previous secret expires, each delivery has two signatures.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'keep_hours', label: 'Hours until the previous secret expires', type: 'number', required: true, otherwise: '24', hint: '0 to 168' })}
<button>Rotate secret</button></form>`
    return { title: 'Rotate secret', main }
  },
  async submit({ db, doer, params: { id }, given, services }) {
    const { keep_hours } = parseInput(Rotation, { keep_hours: readNumber(given.keep_hours) ?? '' })
    const how = { keepMs: keep_hours * 3_600_000, signing: services(signingSecret) }
    const rotated = await mustFind(
      db.transaction((tx) => rotate(tx, toAct(doer), id, how)),
      'webhook',
    )
    const title = webhookTitle(rotated.endpoint)
    const main = html`${parentLink('Webhooks', section.path)}<h1>${title}</h1>
${showSecretOnce(rotated.secret, 'The new secret is not shown again.')}
<p><a class="button" href="/app/webhooks/${id}">Show webhook</a></p>`
    return { view: { title, main } }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  ...shared,
  path: '/webhooks/{id}/remove',
  summary: 'Delete a webhook',
  fields: z.object({}),
  async view({ db, member, params: { id }, fault }) {
    const title = webhookTitle(await find(db, member, id))
    const main = html`${parentLink(title, `/app/webhooks/${id}`)}<h1>Delete ${title}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The pending deliveries and the delivery log of the webhook are also deleted.</p>
<p class="actions"><button class="grave">Delete webhook</button> <a class="button plain" href="/app/webhooks/${id}">Cancel</a></p></form>`
    return { title: `Delete ${title}`, main }
  },
  async submit({ db, doer, member, params: { id } }) {
    const title = webhookTitle(await find(db, member, id))
    await db.transaction((tx) => remove(tx, toAct(doer), id))
    return { to: section.path, told: `${title} deleted.` }
  },
})
