import { z } from 'zod'
import * as objects from '#sql/files/objects.ts'
import { getServedVersion } from '#sql/files/versions.ts'
import { formPage } from '../../http/dashboard/page.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { html } from '../../http/html/html.ts'
import { readMetadata, writeMetadata } from '../../http/html/metadata-lines.ts'
import { parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { update } from '../objects/change.ts'
import { section } from './section.ts'

const params = z.object({ id: pathId('object') })

const localTime = (at: Date | null): string => at?.toISOString().slice(0, 16) ?? ''

export const { show: askForChange, submit: change } = formPage({
  path: '/files/{id}/edit',
  summary: 'Edit a file',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({
    filename: z.string().default(''),
    folder: z.string().default(''),
    metadata: z.string().default(''),
    expires_at: z.string().trim().default(''),
  }),
  async view({ db, member, params: { id }, filled, fault }) {
    const found = await mustFind(objects.find(db, { orgId: member.orgId }, id), 'object')
    const { filename } = await getServedVersion(db, found)
    const main = html`${parentLink(filename, `${section.path}/${id}`)}<h1>Edit file</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'filename', label: 'Name', required: true, otherwise: filename, hint: 'A new ending starts a new scan. Until its verdict, the file cannot be downloaded.' })}
${textField(filled, { name: 'folder', label: 'Folder', otherwise: found.folder, hint: 'Optional. For example, invoices/2026.' })}
${linesField(filled, { name: 'metadata', label: 'Metadata', hint: 'One entry per line: key = value.', otherwise: writeMetadata(found.metadata) })}
${textField(filled, { name: 'expires_at', label: 'Expires (UTC)', type: 'datetime-local', otherwise: localTime(found.expires_at), hint: 'Optional. The file is then deleted with all of its versions.' })}
<p class="actions"><button class="primary">Save</button> <a class="button plain" href="${section.path}/${id}">Cancel</a></p></form>`
    return { title: 'Edit file', main }
  },
  async submit({ db, ask, member, params: { id }, given: { expires_at, metadata, ...given } }) {
    const before = await mustFind(objects.find(db, { orgId: member.orgId }, id), 'object')
    const isKept = expires_at === localTime(before.expires_at)
    const expiry = isKept ? {} : { expires_at: expires_at === '' ? null : `${expires_at}:00Z` }
    const body = { ...given, ...expiry, metadata: readMetadata(metadata, before.metadata) }
    await ask(update, { params: { id }, body }, z.unknown())
    return { to: `${section.path}/${id}`, told: 'File saved.' }
  },
})
