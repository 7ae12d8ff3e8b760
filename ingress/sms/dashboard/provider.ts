import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/sms/providers.ts'
import { callbackBase, callbackPath } from '#tasks/sms/rules/callback-url.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { html, quiet } from '../../http/html/html.ts'
import { actionButton, copyable, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { remove, update } from '../providers.ts'
import { atFields } from './kind-faults.ts'
import { kindFields, kindInputs, toKindPart } from './provider-fields.ts'
import { kindTitles, providersPath, section } from './section.ts'

const params = z.object({ provider_id: pathId('provider') })

const read = (db: Db, orgId: string, id: string) => mustFind(rows.find(db, orgId, id), 'provider')

const place = (id: string): string => `${providersPath}/${id}`

export const one = page({
  path: '/sms/providers/{provider_id}',
  summary: 'Show an SMS provider',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, host, params: { provider_id: id } }) {
    const found = await read(db, member.orgId, id)
    const write = may('areas:write')
    const buttons =
      write &&
      html`<div class="actions"><a class="button" href="${place(id)}/edit">Edit</a><a class="button" href="${place(id)}/secrets">Replace secrets</a></div>`
    const main = html`${parentLink('Providers', providersPath)}<div class="title"><h1>${found.name}</h1>${buttons}</div>
<dl class="facts"><div><dt>Kind</dt><dd>${kindTitles[found.kind]}</dd></div>
<div><dt>Sender</dt><dd>${found.sender ?? quiet('none')}</dd></div>
<div><dt>Rate</dt><dd>${found.per_second} per second</dd></div>
<div><dt>Default</dt><dd>${found.is_default ? 'yes' : 'no'}</dd></div>
<div><dt>Connected</dt><dd>${ago(found.created_at)}</dd></div>
<div><dt>Secrets</dt><dd>•••••••• stored encrypted${found.rotated_at && html`, replaced ${ago(found.rotated_at)}`}</dd></div></dl>
<section><h2>Callbacks</h2><p class="lead">${found.kind === 'http' ? 'Your provider reports statuses to this URL.' : 'Millrace gives the provider the URL for statuses with each message.'}</p>
<p class="break">${copyable(callbackBase(host) + callbackPath(id, 'status'), 'the URL for statuses')}</p>
<p class="lead">Enter this URL at the provider for received messages. STOP, START and HELP arrive here.</p>
<p class="break">${copyable(callbackBase(host) + callbackPath(id, 'inbound'), 'the URL for received messages')}</p></section>
<section><h2>Settings</h2><pre tabindex="0" aria-label="Settings">${JSON.stringify(found.settings, null, 2)}</pre></section>
${write && html`<section><h2>Actions</h2><div class="actions spaced">${!found.is_default && actionButton(member, `${place(id)}/default`, 'Make default')} ${actionButton(member, `${place(id)}/remove`, 'Remove provider', { grave: true })}</div></section>`}`
    return { title: found.name, main }
  },
})

const text = optionalField(z.string())

export const { show: askForChange, submit: change } = formPage({
  path: '/sms/providers/{provider_id}/edit',
  summary: 'Edit an SMS provider',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({ name: text, from: text, per_second: text }),
  async view({ db, member, filled, fault, params: { provider_id: id } }) {
    const found = await read(db, member.orgId, id)
    const main = html`${parentLink(found.name, place(id))}<h1>Edit provider</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, otherwise: found.name })}
${textField(filled, { name: 'from', label: 'Sender', otherwise: found.sender ?? '' })}
${textField(filled, { name: 'per_second', label: 'Messages per second', type: 'number', otherwise: String(found.per_second) })}
<p class="actions"><button>Save</button> <a class="button plain" href="${place(id)}">Cancel</a></p></form>`
    return { title: 'Edit provider', main }
  },
  async submit({ ask, given: { name = '', from, per_second }, params: { provider_id: id } }) {
    const rate = per_second === undefined ? {} : { per_second: Number(per_second) }
    await ask(update, { params: { id }, body: { name, from: from ?? null, ...rate } }, z.unknown())
    return { to: place(id), told: 'Provider saved.' }
  },
})

export const { show: askForSecrets, submit: rotate } = formPage({
  path: '/sms/providers/{provider_id}/secrets',
  summary: 'Replace the secrets of an SMS provider',
  section,
  permission: 'areas:write',
  params,
  fields: z.object(kindFields),
  async view({ db, member, filled, fault, params: { provider_id: id } }) {
    const found = await read(db, member.orgId, id)
    const main = html`${parentLink(found.name, place(id))}<h1>Replace secrets</h1>${renderFault(fault)}
<p class="lead">The new settings replace all settings of ${kindTitles[found.kind]}. The next message uses them.</p>
<form class="form" method="post">${tokenField(member)}${kindInputs(found.kind, filled)}
<p class="actions"><button>Replace</button> <a class="button plain" href="${place(id)}">Cancel</a></p></form>`
    return { title: 'Replace secrets', main }
  },
  async submit({ db, member, ask, given, params: { provider_id: id } }) {
    const { kind } = await read(db, member.orgId, id)
    await atFields(ask(update, { params: { id }, body: { [kind]: toKindPart(kind, given) } }, z.unknown()))
    return { to: place(id), told: 'Secrets replaced.' }
  },
})

export const makeDefault = action({
  path: '/sms/providers/{provider_id}/default',
  summary: 'Make an SMS provider the default',
  permission: 'areas:write',
  params,
  back: ({ provider_id }) => place(provider_id),
  async perform({ ask, params: { provider_id: id } }) {
    await ask(update, { params: { id }, body: { default: true } }, z.unknown())
    return { to: place(id), told: 'Provider is the default.' }
  },
})

export const removeProvider = action({
  path: '/sms/providers/{provider_id}/remove',
  summary: 'Remove an SMS provider',
  permission: 'areas:write',
  params,
  back: ({ provider_id }) => place(provider_id),
  async perform({ ask, params: { provider_id: id } }) {
    await ask(remove, { params: { id } }, z.unknown())
    return { to: providersPath, told: 'Provider removed. Pending messages fail.' }
  },
})
