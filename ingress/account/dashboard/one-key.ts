import { z } from 'zod'
import { forbidden, notFound } from '#lib/errors.ts'
import * as secrets from '#sql/account/keys/secrets.ts'
import * as keys from '#sql/account/keys.ts'
import type { DatabasePool } from '#sql/db.ts'
import { KeyChangeInput, RotationInput } from '#tasks/account/rules/key-input.ts'
import { changeKey, confirmKey, revokeKey, rotateKey } from '#tasks/account/rules/keys.ts'
import { canRole } from '#tasks/account/rules/roles.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { type Member, requireStepUp } from '../../http/dashboard/session.ts'
import { selectField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { keyChanges } from '../../http/key-changes.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { formatLocalTime, moveFaultsToFields, parseInput, readNumber } from './input.ts'
import { aiTexts, settingFields, settingsInputs, toKeyChange } from './key-form.ts'
import { section } from './keys.ts'
import { mcpClient } from './mcp-client.ts'

const params = z.object({ id: pathId('key') })

async function managed(db: DatabasePool, member: Member, id: string): Promise<keys.Key> {
  const key = await mustFind(keys.find(db, member.orgId, id), 'key')
  if (key.revoked_at) throw notFound('key')
  if (!canRole(member.role, key.mode === 'live' ? 'keys:live' : 'keys:test'))
    throw forbidden('Your role does not permit this.')
  return key
}

export const { show: askForChange, submit: change } = formPage({
  path: '/keys/{id}/change',
  summary: 'Edit an API key',
  section,
  permission: 'keys:test',
  params,
  fields: z.object(settingFields),
  async view({ db, member, params: { id }, filled, fault }) {
    const key = await managed(db, member, id)
    const now = {
      name: key.name,
      note: key.note ?? '',
      expires_at: formatLocalTime(key.expires_at),
      rate_per_minute: key.rate_per_minute === null ? '' : String(key.rate_per_minute),
      networks: key.networks?.join('\n') ?? '',
      ...aiTexts(key.ai),
    }
    const main = html`${parentLink(key.name, `/app/keys/${id}`)}<h1>Edit ${key.name}</h1>${renderFault(fault)}
<p class="lead">Scopes and locks cannot be changed.</p>
<form class="form" method="post">${tokenField(member)}
${settingsInputs(filled, now)}
<button>Save API key</button></form>`
    return { title: `Edit ${key.name}`, main }
  },
  async submit({ db, doer, member, params: { id }, given }) {
    if ((await managed(db, member, id)).mode === 'live') requireStepUp(member)
    const wanted = parseInput(KeyChangeInput, toKeyChange(given))
    const { name } = await moveFaultsToFields(db.transaction((tx) => changeKey(tx, doer, id, wanted)))
    return { to: `/app/keys/${id}`, told: `${name} saved.` }
  },
})

const froms = [
  ['now', 'now'],
  ['first_use', 'at the first use of the new secret'],
] as const

/** Rotates the secret. The new secret is shown only in this response. The previous secret stays valid for a while. */
export const { show: askForRotation, submit: rotate } = formPage({
  path: '/keys/{id}/rotate',
  summary: 'Rotate an API key',
  section,
  permission: 'keys:test',
  stepUp: true,
  params,
  fields: z.object({ keep_hours: z.string().max(20), from: z.enum(['now', 'first_use']) }),
  async view({ db, member, params: { id }, filled, fault }) {
    const key = await managed(db, member, id)
    const two = (await secrets.listActive(db, [id])).length > 1
    const main = html`${parentLink(key.name, `/app/keys/${id}`)}<h1>Rotate ${key.name}</h1>${renderFault(fault)}
<p class="lead">The key gets a new secret. The previous secret stays valid for the number of hours that you set, so that you can update your servers.</p>
${two && html`<p class="note">This key already has two active secrets. You can rotate it only with 0 hours, starting now. Both secrets then expire immediately.</p>`}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'keep_hours', label: 'Hours until the previous secret expires', type: 'number', required: true, otherwise: two ? '0' : '24', hint: '0 to 168. With 0, it expires immediately.' })}
${selectField(filled, { name: 'from', label: 'Start of this period', options: froms, otherwise: 'now' })}
<button>Rotate secret</button></form>`
    return { title: `Rotate ${key.name}`, main }
  },
  async submit({ db, doer, member, params: { id }, given }) {
    await managed(db, member, id)
    const wanted = parseInput(RotationInput, { ...given, keep_hours: readNumber(given.keep_hours) ?? '' })
    const { name, secret } = await db.transaction((tx) => rotateKey(tx, doer, id, wanted))
    const main = html`${parentLink('API keys', section.path)}<h1>${name}</h1>
${showSecretOnce(secret, 'Millrace does not show the new key again.')}
${mcpClient(name, secret)}
<p><a class="button" href="/app/keys/${id}">Open key settings</a></p>`
    return { view: { title: name, main } }
  },
})

export const { show: askToRevoke, submit: revoke } = formPage({
  path: '/keys/{id}/revoke',
  summary: 'Revoke an API key',
  section,
  permission: 'keys:test',
  params,
  fields: z.object({}),
  async view({ db, member, params: { id }, fault }) {
    const { name } = await managed(db, member, id)
    const main = html`${parentLink(name, `/app/keys/${id}`)}<h1>Revoke ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The key and all its secrets stop working permanently within 5 seconds. Keys and pending invitations that it created also stop working.</p>
<p class="actions"><button class="grave">Revoke API key</button> <a class="button plain" href="/app/keys/${id}">Cancel</a></p></form>`
    return { title: `Revoke ${name}`, main }
  },
  async submit({ db, doer, member, params: { id }, services }) {
    const { name, mode } = await managed(db, member, id)
    if (mode === 'live') requireStepUp(member)
    await db.transaction((tx) => revokeKey(tx, doer, id))
    await services(keyChanges).caughtUp()
    return { to: section.path, told: `${name} revoked.` }
  },
})

export const confirm = action({
  path: '/keys/{id}/confirm',
  summary: 'Confirm an API key created by another key',
  permission: 'owners',
  stepUp: true,
  params,
  back: ({ id }) => `/app/keys/${id}`,
  async perform({ db, doer, params: { id } }) {
    const { name } = await db.transaction((tx) => confirmKey(tx, doer, id))
    return { to: `/app/keys/${id}`, told: `${name} is kept if the creating key is revoked.` }
  },
})
