import { z } from 'zod'
import * as objects from '#sql/files/objects.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import type { Services } from '../../http/container.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { selectField } from '../../http/html/form.ts'
import { type Html, html } from '../../http/html/html.ts'
import { actionButton, copyable, parentLink, renderFault, showSecretOnce, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { update } from '../change-object.ts'
import { getFileUrl } from '../delivery/urls.ts'
import { create as createSignedUrl, revoke } from '../signed-urls.ts'
import { section } from './files.ts'

const params = z.object({ id: pathId('object') })

const pathOf = (id: string) => `${section.path}/${id}`

export const visibilities = [
  ['private', 'private: only your servers'],
  ['signed', 'signed: everyone who has a signed URL'],
  ['public', 'public: everyone who has the URL'],
] as const satisfies readonly (readonly [objects.Visibility, string])[]

interface Shown {
  member: Member
  host: string
  services: Services
  writes: boolean
  reads: boolean
}

/** Renders who can load a file by its URL. `object` is the first version, `filename` the name of the served version. */
export function deliverySection(
  { id, visibility }: objects.FileObject,
  filename: string,
  { member, host, services, writes, reads }: Shown,
): Html {
  const url = html`<p>${copyable(getFileUrl(host, id, filename), 'the URL')}</p>`
  const signs = html`<div class="actions spaced">${reads && html`<a class="button" href="${pathOf(id)}/signed-url">Create signed URL</a>`} ${writes && actionButton(member, `${pathOf(id)}/signed-urls/revoke`, 'Revoke signed URLs')}</div>`
  return html`<section aria-labelledby="delivery"><h2 id="delivery">Delivery</h2>
<p class="lead">${words[visibility]}</p>
${visibility === 'public' && url}
${writes && visibilityForm(member, id, visibility)}
${visibility === 'signed' && signs}
${visibility === 'signed' && apiCall(services, 'files.signed-urls.create', { path: { id }, body: { expires_in: 3_600 } })}</section>`
}

const words: Readonly<Record<objects.Visibility, string>> = {
  private: 'The file has no URL. Your server can request download URLs.',
  signed: 'Everyone who has a signed URL can load the file until the URL expires or is revoked.',
  public: 'Everyone who has the URL can load the file while it is clean.',
}

const visibilityForm = (member: Member, id: string, visibility: objects.Visibility): Html =>
  html`<form class="form spaced" method="post" action="${pathOf(id)}/visibility">${tokenField(member)}
${selectField({ given: {}, faults: {} }, { name: 'visibility', label: 'Visibility', options: visibilities, otherwise: visibility })}
<button>Save</button></form>`

export const show = action({
  path: '/files/{id}/visibility',
  summary: 'Change the visibility of a file',
  permission: 'areas:write',
  params,
  fields: z.object({ visibility: objects.Visibility }),
  back: ({ id }) => pathOf(id),
  async perform({ ask, given, params: { id } }) {
    await ask(update, { params: { id }, body: given }, z.unknown())
    return { to: pathOf(id), told: `Visibility changed to ${given.visibility}.` }
  },
})

export const revokeSignedUrls = action({
  path: '/files/{id}/signed-urls/revoke',
  summary: 'Revoke the signed URLs of a file',
  permission: 'areas:write',
  params,
  back: ({ id }) => pathOf(id),
  async perform({ ask, params: { id } }) {
    await ask(revoke, { params: { id } }, z.unknown())
    return { to: pathOf(id), told: 'Signed URLs revoked.' }
  },
})

const lifetimes = [
  ['3600', '1 hour'],
  ['86400', '1 day'],
  ['604800', '7 days'],
  ['2592000', '30 days'],
] as const

const dispositions = [
  ['', 'Display safe types, save others'],
  ['inline', 'Display'],
  ['attachment', 'Save'],
] as const

export const { show: askForSignedUrl, submit: signUrl } = formPage({
  path: '/files/{id}/signed-url',
  summary: 'Create a signed URL for a file',
  section,
  permission: 'contents:read',
  params,
  fields: z.object({ expires_in: z.coerce.number(), disposition: z.enum(['', 'inline', 'attachment']).default('') }),
  async view({ db, member, params: { id }, filled, fault }) {
    const { filename } = await mustFind(objects.find(db, { orgId: member.orgId }, id), 'object')
    const main = html`${parentLink(filename, pathOf(id))}<h1>Create a signed URL</h1>${renderFault(fault)}
<p class="lead">Everyone who has the URL can load ${filename} until the URL expires.</p>
<form class="form" method="post">${tokenField(member)}
${selectField(filled, { name: 'expires_in', label: 'Expires after', options: lifetimes })}
${selectField(filled, { name: 'disposition', label: 'Browsers', options: dispositions })}
<p class="actions"><button class="primary">Create signed URL</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Create a signed URL', main }
  },
  async submit({ db, doer, ask, params: { id }, given: { expires_in, disposition } }) {
    const body = { expires_in, ...(disposition !== '' && { disposition }) }
    const { url } = await ask(createSignedUrl, { params: { id }, body }, z.object({ url: z.url() }))
    await recordContentsRead(db, doer, { kind: 'file', id })
    const main = html`${parentLink('File', pathOf(id))}<h1>Signed URL created</h1>
${showSecretOnce(url, 'Anyone who has this URL can load the file. Millrace does not show the URL again.')}
<p><a class="button" href="${pathOf(id)}">Continue</a></p>`
    return { view: { title: 'Signed URL created', main } }
  },
})
