import { z } from 'zod'
import { action, formPage } from '../../http/dashboard/page.ts'
import { textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { copyable, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import * as routes from '../endpoints.ts'
import { params as appParams, findApp } from './app.ts'
import { findEndpoint, type Place, params } from './endpoint.ts'
import { endpointFields, endpointInputs, listTypes, toEndpoint } from './endpoint-form.ts'
import { appPath, endpointPath, section } from './section.ts'

const shared = { section, permission: 'webhooks:write', params } as const
const back = ({ app_id, endpoint_id }: Place) => endpointPath(app_id, endpoint_id)
const toParams = ({ app_id, endpoint_id }: Place) => ({ app: app_id, id: endpoint_id })

const Made = z.object({ id: z.string(), url: z.string(), secret: z.string() })

export const { show: askForEndpoint, submit: add } = formPage({
  ...shared,
  params: appParams,
  path: '/hooks/apps/{app_id}/endpoints/new',
  summary: 'Add an endpoint to an app',
  fields: z.object(endpointFields),
  async view({ db, member, params: { app_id }, filled, fault }) {
    const { name } = await findApp(db, member, app_id)
    const main = html`${parentLink(name, appPath(app_id))}<h1>Add an endpoint</h1>${renderFault(fault)}
<form class="form long" method="post">${tokenField(member)}
${endpointInputs(filled, await listTypes(db, member.orgId))}
<div class="submit"><button class="primary">Add endpoint</button> <a class="button plain" href="${appPath(app_id)}">Cancel</a></div></form>`
    return { title: 'Add an endpoint', main }
  },
  async submit({ db, member, ask, given, params: { app_id } }) {
    const { name } = await findApp(db, member, app_id)
    const made = await ask(routes.create, { params: { app: app_id }, body: toEndpoint(given) }, Made)
    const main = html`${parentLink(name, appPath(app_id))}<h1 class="break">${made.url}</h1>
${showSecretOnce(made.secret, 'The server of your customer verifies messages with this secret.')}
<p><a class="button" href="${endpointPath(app_id, made.id)}">Show endpoint</a></p>`
    return { view: { title: made.url, main } }
  },
})

export const { show: askForChange, submit: change } = formPage({
  ...shared,
  path: '/hooks/apps/{app_id}/endpoints/{endpoint_id}/edit',
  summary: 'Edit an endpoint of an app',
  fields: z.object(endpointFields),
  async view({ db, member, params: place, filled, fault }) {
    const { found } = await findEndpoint(db, member, place)
    const main = html`${parentLink(found.url, back(place))}<h1>Edit endpoint</h1>${renderFault(fault)}
<p class="lead">Pending messages use the new settings.</p>
<form class="form long" method="post">${tokenField(member)}
${endpointInputs(filled, await listTypes(db, member.orgId), found)}
<div class="submit"><button class="primary">Save endpoint</button> <a class="button plain" href="${back(place)}">Cancel</a></div></form>`
    return { title: 'Edit endpoint', main }
  },
  async submit({ ask, given, params: place }) {
    await ask(routes.update, { params: toParams(place), body: toEndpoint(given) }, z.unknown())
    return { to: back(place), told: 'Endpoint saved.' }
  },
})

const toggle = (word: 'enable' | 'disable', told: string) =>
  action({
    ...shared,
    back,
    path: `/hooks/apps/{app_id}/endpoints/{endpoint_id}/${word}`,
    summary: `${word === 'enable' ? 'Enable' : 'Disable'} an endpoint of an app`,
    async perform({ ask, params: place }) {
      await ask(routes.update, { params: toParams(place), body: { disabled: word === 'disable' } }, z.unknown())
      return { to: back(place), told }
    },
  })

export const enable = toggle('enable', 'Endpoint enabled. Pending messages are being delivered.')
export const disable = toggle('disable', 'Endpoint disabled. It receives no new messages.')

export const { show: askToRemove, submit: drop } = formPage({
  ...shared,
  path: '/hooks/apps/{app_id}/endpoints/{endpoint_id}/remove',
  summary: 'Delete an endpoint of an app',
  fields: z.object({}),
  async view({ db, member, params: place, fault }) {
    const { found } = await findEndpoint(db, member, place)
    const main = html`${parentLink(found.url, back(place))}<h1>Delete endpoint?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The pending messages and the attempts of ${found.url} are also deleted.</p>
<p class="actions"><button class="grave">Delete endpoint</button> <a class="button plain" href="${back(place)}">Cancel</a></p></form>`
    return { title: 'Delete endpoint', main }
  },
  async submit({ ask, params: place }) {
    await ask(routes.remove, { params: toParams(place) }, z.unknown())
    return { to: appPath(place.app_id), told: 'Endpoint deleted.' }
  },
})

const Secret = z.object({ secret: z.string() })

export const { show: askForSecret, submit: showSecret } = formPage({
  ...shared,
  path: '/hooks/apps/{app_id}/endpoints/{endpoint_id}/secret',
  summary: 'Show or rotate the secret of an endpoint',
  stepUp: true,
  fields: z.object({ what: z.enum(['show', 'rotate']), keep_hours: z.string().max(10).default('24') }),
  async view({ db, member, params: place, filled, fault }) {
    const { found } = await findEndpoint(db, member, place)
    const main = html`${parentLink(found.url, back(place))}<h1>Secret</h1>${renderFault(fault)}
<p class="lead">The server of your customer verifies messages with this secret.</p>
<form class="form" method="post">${tokenField(member)}<button name="what" value="show">Show secret</button></form>
<section><h2>Rotate secret</h2><p class="lead">Until the previous secret expires, each message has two signatures.</p>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'keep_hours', label: 'Hours until the previous secret expires', type: 'number', required: true, otherwise: '24', hint: '0 to 168' })}
<button class="grave" name="what" value="rotate">Rotate secret</button></form></section>`
    return { title: 'Secret', main }
  },
  async submit({ db, member, ask, given: { what, keep_hours }, params: place }) {
    const { found } = await findEndpoint(db, member, place)
    const rotation = { params: toParams(place), body: { keep_hours: Number(keep_hours) } }
    const { secret } =
      what === 'rotate'
        ? await ask(routes.rotateSecret, rotation, Secret)
        : await ask(routes.readSecret, { params: toParams(place) }, Secret)
    const main = html`${parentLink(found.url, back(place))}<h1>Secret</h1>
<section class="secret" role="status"><p>${what === 'rotate' ? 'Secret rotated.' : 'Current secret.'}</p><p class="break">${copyable(secret, 'the secret')}</p></section>
<p><a class="button" href="${back(place)}">Show endpoint</a></p>`
    return { view: { title: 'Secret', main } }
  },
})
