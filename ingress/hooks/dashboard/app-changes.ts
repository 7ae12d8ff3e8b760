import { z } from 'zod'
import { action, formPage } from '../../http/dashboard/page.ts'
import { selectField } from '../../http/html/form.ts'
import { formatInstant } from '../../http/html/format.ts'
import { html } from '../../http/html/html.ts'
import { actionButton, copyable, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import * as routes from '../apps.ts'
import * as tokens from '../portal-tokens.ts'
import { findApp, params } from './app.ts'
import { appFields, appInputs, toApp } from './app-form.ts'
import { appPath, section } from './section.ts'

const shared = { section, permission: 'webhooks:write', params } as const
const back = ({ app_id }: { app_id: string }) => appPath(app_id)

export const { show: askForChange, submit: change } = formPage({
  ...shared,
  path: '/hooks/apps/{app_id}/edit',
  summary: 'Edit an app for customer webhooks',
  fields: z.object(appFields),
  async view({ db, member, params: { app_id: id }, filled, fault }) {
    const app = await findApp(db, member, id)
    const main = html`${parentLink(app.name, appPath(id))}<h1>Edit app</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${appInputs(filled, app)}
<div class="submit"><button class="primary">Save app</button> <a class="button plain" href="${appPath(id)}">Cancel</a></div></form>`
    return { title: 'Edit app', main }
  },
  async submit({ db, member, ask, given, params: { app_id: id } }) {
    const { metadata, ...body } = toApp(given)
    const { metadata: before } = await findApp(db, member, id)
    const removed = Object.fromEntries(Object.keys(before).map((key) => [key, null]))
    await ask(
      routes.update,
      { params: { app: id }, body: { ...body, metadata: { ...removed, ...metadata } } },
      z.unknown(),
    )
    return { to: appPath(id), told: 'App saved.' }
  },
})

const toggle = (word: 'enable' | 'disable', told: string) =>
  action({
    permission: 'webhooks:write',
    params,
    back,
    path: `/hooks/apps/{app_id}/${word}`,
    summary: `${word === 'enable' ? 'Enable' : 'Disable'} an app for customer webhooks`,
    async perform({ ask, params: { app_id: id } }) {
      await ask(routes.update, { params: { app: id }, body: { disabled: word === 'disable' } }, z.unknown())
      return { to: appPath(id), told }
    },
  })

export const enable = toggle('enable', 'App enabled. Pending messages are being delivered.')
export const disable = toggle('disable', 'App disabled. Its messages wait until you enable it.')

export const { show: askToRemove, submit: drop } = formPage({
  ...shared,
  path: '/hooks/apps/{app_id}/remove',
  summary: 'Delete an app for customer webhooks',
  fields: z.object({}),
  async view({ db, member, params: { app_id: id }, fault }) {
    const { name } = await findApp(db, member, id)
    const main = html`${parentLink(name, appPath(id))}<h1>Delete ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The endpoints, messages and pending deliveries of the app are also deleted.</p>
<p class="actions"><button class="grave">Delete app</button> <a class="button plain" href="${appPath(id)}">Cancel</a></p></form>`
    return { title: `Delete ${name}`, main }
  },
  async submit({ db, member, ask, params: { app_id: id } }) {
    const { name } = await findApp(db, member, id)
    await ask(routes.remove, { params: { app: id } }, z.unknown())
    return { to: section.path, told: `${name} deleted.` }
  },
})

const times = [
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days'],
] as const

const capabilities = [
  ['manage', 'read and manage'],
  ['read', 'read only'],
] as const

const Made = z.object({ url: z.string(), expires_at: z.coerce.date() })

export const { show: askForPortal, submit: openPortal } = formPage({
  ...shared,
  path: '/hooks/apps/{app_id}/portal',
  summary: 'Create a link to the portal of an app',
  fields: z.object({ ttl: z.string().max(10), capability: z.string().max(10) }),
  async view({ db, member, params: { app_id: id }, filled, fault }) {
    const { name } = await findApp(db, member, id)
    const main = html`${parentLink(name, appPath(id))}<h1>Open portal</h1>${renderFault(fault)}
<p class="lead">In the portal, your customer adds endpoints and sees messages. Anyone with the link can open the portal until it expires.</p>
<form class="form" method="post">${tokenField(member)}
<div class="pair">${selectField(filled, { name: 'ttl', label: 'Expires after', options: times, otherwise: '3600' })}
${selectField(filled, { name: 'capability', label: 'Permission', options: capabilities, otherwise: 'manage' })}</div>
<div class="submit"><button class="primary">Create link</button> <a class="button plain" href="${appPath(id)}">Cancel</a></div></form>
<section><h2>Revoke links</h2><p class="lead">All links and portal tokens of this app stop working immediately.</p>
${actionButton(member, `${appPath(id)}/portal/revoke`, 'Revoke all links', { grave: true })}</section>`
    return { title: 'Open portal', main }
  },
  async submit({ db, member, ask, given: { ttl, capability }, params: { app_id: id } }) {
    const { name } = await findApp(db, member, id)
    const body = { ttl_seconds: Number(ttl), capability }
    const { url, expires_at } = await ask(tokens.create, { params: { app: id }, body }, Made)
    const main = html`${parentLink(name, appPath(id))}<h1>Portal of ${name}</h1>
<section class="secret" role="status"><p>The link works until ${formatInstant(expires_at)} UTC.</p><p class="break">${copyable(url, 'the link')}</p>
<p class="actions"><a class="button primary" href="${url}" target="_blank" rel="noopener noreferrer">Open portal</a></p></section>`
    return { view: { title: `Portal of ${name}`, main } }
  },
})

export const revokePortal = action({
  permission: 'webhooks:write',
  params,
  back,
  path: '/hooks/apps/{app_id}/portal/revoke',
  summary: 'Revoke the portal links of an app',
  async perform({ ask, params: { app_id: id } }) {
    await ask(tokens.revoke, { params: { app: id } }, z.unknown())
    return { to: appPath(id), told: 'All portal links of the app are revoked.' }
  },
})
