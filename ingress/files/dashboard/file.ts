import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as objects from '#sql/files/objects.ts'
import * as scans from '#sql/files/scans.ts'
import * as versions from '#sql/files/versions.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import { getPreviewType } from '#tasks/files/rules/previewable.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { amountOf, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, copyable, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { storage } from '../../http/services.ts'
import { downloadUrl, remove } from '../objects.ts'
import { create as createPreview } from '../previews.ts'
import { request as scan } from '../rescans.ts'
import { deliverySection } from './delivery.ts'
import { imageSection } from './file-image.ts'
import { section, verdictOf } from './files.ts'
import { folderPath } from './folders.ts'
import { resumePart } from './uploads.ts'
import { verdictHelp } from './verdict-help.ts'

const params = z.object({ id: pathId('object') })

export const read = page({
  path: '/files/{id}',
  summary: 'Show a file and its verdict',
  section,
  params,
  async view({ db, member, may, region, services, host, params: { id } }) {
    const found = await mustFind(objects.find(db, { orgId: member.orgId }, id), 'object')
    const served = await versions.getServedVersion(db, found)
    const { filename } = served
    const again = rescannable.includes(found.scan_status)
    const main = html`${parentLink('Files', section.path)}<div class="title"><h1>${filename}</h1>${may('areas:write') && html`<div class="actions">${again && actionButton(member, `${section.path}/${id}/scan`, 'Scan again')}${linkButton(`${section.path}/${id}/edit`, 'Edit')}</div>`}</div>
${await region(`file/${id}`)}
${may('areas:write') && (await resumePart({ db, member }, found))}
${
  may('contents:read') &&
  served.scan_status === 'clean' &&
  html`${getPreviewType(served) && previewOf(id, filename)}
<section aria-labelledby="share"><h2 id="share">Download from your product</h2>
<p class="lead">Your server requests a signed URL and gives it to the person. The URL works for a limited time. A link or <code>&lt;img src&gt;</code> can use it.</p>
${apiCall(services, 'files.objects.downloadUrl', { path: { id } })}
${getPreviewType(served) && apiCall(services, 'files.previews.create', { path: { id }, body: { size: 640 } })}</section>`
}
${await imageSection({ db, services, host }, found, served)}
${found.version_of === null && deliverySection(found, filename, { member, host, services, writes: may('areas:write'), reads: may('contents:read') })}
${may('areas:write') && html`<section><h2>Delete</h2><p class="lead">The file is deleted for everyone. Its signed URLs stop working soon after.</p><a class="button" href="${section.path}/${id}/remove">Delete file</a></section>`}`
    const store = services(storage).publicOrigin
    const sends = found.place === 'incoming' ? [getPublicBase(host), store] : []
    return { title: filename, main, reaches: { pictures: [store], sends } }
  },
})

/** Verdicts after which another scan can have another result. */
const rescannable: readonly string[] = ['clean', 'suspicious', 'unscannable', 'error']

/** Renders the preview in closed details. The browser requests the image when the member opens them. */
const previewOf = (id: string, filename: string): Html =>
  html`<details class="spaced"><summary>Preview</summary><img class="file-preview" src="${section.path}/${id}/preview" alt="Preview of ${filename}" loading="lazy"></details>`

export const scanAgain = action({
  path: '/files/{id}/scan',
  summary: 'Scan a file again',
  permission: 'areas:write',
  params,
  back: ({ id }) => `${section.path}/${id}`,
  async perform({ ask, params: { id } }) {
    await ask(scan, { params: { id }, body: {} }, z.unknown())
    return { to: `${section.path}/${id}`, told: 'Scan started. This page shows the new verdict.' }
  },
})

export const fileRegion: OrgRegion = {
  everyMs: 2_000,
  async read(db, orgId, [given = '']) {
    const id = Id.safeParse(given)
    const found = id.success ? await objects.find(db, { orgId }, id.data) : null
    if (!found) return null
    const all = found.version_of === null ? await versions.list(db, found.id) : [found]
    const served = versions.selectServed(all)
    const shown = { ...(served ?? found), id: found.id }
    const scan = shown.scan_id === null ? null : await scans.find(db, shown.scan_id)
    return html`<p class="outcome">${verdictOf(shown)}</p>
<p class="lead">${verdictHelp[shown.scan_status]}</p>
${served && actions(served, found.id)}
<dl class="facts">${facts(shown, scan).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${all.length > 1 && versionTable(all, served?.id)}
${scan?.finished_at && scan.reasons.length > 0 && reasonList(scan.reasons)}`
  },
}

const actions = (served: objects.FileObject, id: string): Html =>
  html`<p class="actions spaced"><a class="button primary" href="${section.path}/${id}/download">Download</a>${getPreviewType(served) && html` <a class="button" href="${section.path}/${id}/preview">Open preview</a>`}</p>`

function versionTable(all: readonly objects.FileObject[], served: string | undefined): Html {
  return html`<section><h2>Versions</h2>${dataTable('Versions', all, {
    Version: [
      '',
      (one) =>
        html`${one.version}${one.id === served && html` ${statusBadge('served')}`} <span class="quiet break">${one.filename}</span>`,
    ],
    Verdict: (one) => verdictOf(one),
    Size: ['number', (one) => amountOf('bytes', one.byte_size)],
    Uploaded: (one) => (one.uploaded_at ? `${formatInstant(one.uploaded_at)} UTC` : quiet('not yet')),
  })}</section>`
}

function facts(found: objects.FileObject, scan: scans.Scan | null): [string, Html | string][] {
  const released = found.release_id !== null && found.scan_status === 'clean'
  const more: [string, Html | string | null | undefined][] = [
    ['Product', found.product_key],
    ['Tenant', found.tenant_id],
    ['Folder', found.folder && html`<a href="${folderPath(found.folder)}">${found.folder}</a>`],
    ...Object.entries(found.metadata).map(([key, value]): [string, string] => [key, value]),
    ['Expires', found.expires_at && `${formatInstant(found.expires_at)} UTC`],
    ['Declared type', found.content_type],
    ['Detected type', found.sniffed_type],
    ['Size', amountOf('bytes', found.byte_size)],
    ['Uploaded', found.uploaded_at && `${formatInstant(found.uploaded_at)} UTC`],
    ['Scanned', scan?.finished_at && `${formatInstant(scan.finished_at)} UTC`],
    ['Scanned by', scan?.finished_at && [scan.engine, scan.signature_version].filter(Boolean).join(' ')],
    ['SHA-256', found.sha256 && html`<span class="id">${found.sha256}</span>`],
    ['ID', copyable(found.id, 'the ID of the file')],
  ]
  return [
    ...(released ? [['Released', 'by an operator'] as [string, string]] : []),
    ...more.flatMap(([name, value]): [string, Html | string][] => (value ? [[name, value]] : [])),
  ]
}

const reasonList = (reasons: readonly scans.Reason[]): Html =>
  html`<section><h2>Reasons</h2><ul class="groups">${reasons.map(
    ({ detail, entry }) => html`<li>${detail}${entry && html` <span class="quiet">${entry}</span>`}</li>`,
  )}</ul></section>`

export const download = page({
  path: '/files/{id}/download',
  summary: 'Download a clean file',
  section,
  permission: 'contents:read',
  params,
  async view({ db, doer, ask, params: { id } }) {
    const { download_url: to } = await ask(
      downloadUrl,
      { params: { id }, body: {} },
      z.object({ download_url: z.url() }),
    )
    await recordContentsRead(db, doer, { kind: 'file', id })
    return { to }
  },
})

export const preview = page({
  path: '/files/{id}/preview',
  summary: 'Preview a clean file',
  section,
  permission: 'contents:read',
  params,
  async view({ db, doer, ask, params: { id } }) {
    const { preview_url: to } = await ask(
      createPreview,
      { params: { id }, body: { size: 1_600 } },
      z.object({ preview_url: z.url() }),
    )
    await recordContentsRead(db, doer, { kind: 'file', id })
    return { to }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  path: '/files/{id}/remove',
  summary: 'Delete a file',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params: { id }, fault }) {
    const { filename } = await mustFind(objects.find(db, { orgId: member.orgId }, id), 'object')
    const main = html`${parentLink(filename, `${section.path}/${id}`)}<h1>Delete ${filename}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>The file becomes unavailable to everyone. Its content is deleted soon after. You cannot undo this.</p>
<p class="actions"><button class="grave">Delete file</button> <a class="button plain" href="${section.path}/${id}">Cancel</a></p></form>`
    return { title: `Delete ${filename}`, main }
  },
  async submit({ ask, params }) {
    await ask(remove, { params }, z.unknown())
    return { to: section.path, told: 'File deleted.' }
  },
})
