import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { dashboardCaller } from '#sql/account/keys/dashboard-key.ts'
import type * as objects from '#sql/files/objects.ts'
import * as uploads from '#sql/files/uploads.ts'
import { everything } from '#sql/filters.ts'
import { action, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import type { FormState } from '../../http/html/form.ts'
import { ago, amountOf, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { sessionPart, uploadForm } from '../../http/html/upload-form.ts'
import { pathId } from '../../http/request/validate.ts'
import { signingSecret } from '../../http/services.ts'
import { createUploadGrant, issueUploadToken } from '../../http/upload-tokens.ts'
import { mustFindUpload } from '../multipart/status.ts'
import { abort } from '../multipart.ts'
import { section } from './files.ts'
import { sessionOf, tokenSeconds } from './upload-session.ts'

const params = z.object({ id: pathId('upload') })

const path = `${section.path}/uploads`

export const list = page({
  path: '/files/uploads',
  summary: 'List unfinished uploads',
  section,
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await uploads.listOpen(db, { orgId: member.orgId }, { where: everything, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const none = emptyState('No unfinished uploads.', 'Uploads of large files are listed here until they are complete.')
    const main = html`${parentLink('Files', section.path)}<h1>Unfinished uploads</h1>
${shown.length === 0 ? none : uploadTable(member, shown, may('areas:write'))}
${older(path, {})}`
    return { title: 'Unfinished uploads', main }
  },
})

const uploadTable = (member: Member, shown: readonly uploads.OpenUpload[], writes: boolean): Html =>
  dataTable('Unfinished uploads', shown, {
    File: ['break', ({ id, filename }) => html`<a href="${section.path}/${id}">${filename}</a>`],
    Product: ['break', (one) => one.product_key],
    Tenant: ['break', (one) => one.tenant_id],
    Size: ['number', (one) => amountOf('bytes', one.byte_size)],
    Started: (one) => ago(one.created_at),
    Expires: (one) => `${formatInstant(one.upload_expires_at)} UTC`,
    Actions: writes && [
      'actions',
      ({ id, filename }) => actionButton(member, `${path}/${id}/abort`, 'Abort', { of: filename }),
    ],
  })

export const end = action({
  path: '/files/uploads/{id}/abort',
  summary: 'Abort an upload',
  permission: 'areas:write',
  params,
  back: () => path,
  async perform({ ask, params: { id } }) {
    await ask(abort, { params: { id }, query: {} }, z.unknown())
    return { to: path, told: 'Upload aborted. Its parts are deleted.' }
  },
})

const nothing: FormState = { given: {}, faults: {} }

/** Renders the form that resumes an upload in parts, if the file is one. */
export async function resumePart(
  { db, member }: { db: Parameters<typeof uploads.find>[0]; member: Member },
  object: objects.FileObject,
): Promise<Html | undefined> {
  if (object.place !== 'incoming' || !(await uploads.find(db, object.id))) return undefined
  const form = { path: `${path}/${object.id}/resume`, label: object.filename, bytes: object.byte_size, words: 'Resume' }
  return html`<section><h2>The upload is not complete</h2><p class="lead">Choose the same file again to send its missing parts.</p>${uploadForm(member, nothing, form)}</section>`
}

export const resume = action({
  path: '/files/uploads/{id}/resume',
  summary: 'Resume an upload',
  permission: 'areas:write',
  params,
  fields: z.object({ bytes: z.string(), filename: z.string(), type: z.string() }),
  back: ({ id }) => `${section.path}/${id}`,
  async perform({ db, member, services, host, params: { id } }) {
    const { object, completed } = await mustFindUpload(db, { orgId: member.orgId }, id)
    if (completed) throw conflict('The upload is complete.')
    const { key } = await dashboardCaller(db, member.orgId, [])
    const grant = createUploadGrant(object.id, key.id, { origins: [host], expires_in: tokenSeconds })
    const { upload_token = '' } = issueUploadToken(grant, services(signingSecret))
    return {
      view: { title: 'Resume upload', main: sessionPart(sessionOf('parts', { object_id: id, upload_token }, host)) },
    }
  },
})
