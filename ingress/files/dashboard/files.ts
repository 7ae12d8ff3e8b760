import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as objects from '#sql/files/objects.ts'
import { whereOf } from '#sql/filters.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago, amountOf } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, renderFault } from '../../http/html/parts.ts'
import { ChosenFile, sessionPart, uploadForm } from '../../http/html/upload-form.ts'
import { storage } from '../../http/services.ts'
import { start } from '../uploads.ts'

export const section = {
  title: 'Files',
  path: '/app/files',
  group: 'Files',
  guide: 'files',
} as const satisfies DashboardSection

const query = z.object({ scan_status: optionalField(objects.ScanStatus), before: Id.optional() })

export const overview = page({
  path: '/files',
  summary: 'List files and their verdicts, newest first',
  section,
  query,
  async view({ db, member, may, query: { scan_status: status, before } }) {
    const where = whereOf(objects.filters, { scan_status: status })
    const found = await objects.list(db, { orgId: member.orgId }, { where, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const none =
      status || before
        ? emptyState('No files match these filters.')
        : emptyState('No files yet.', 'Uploaded files are scanned. Clean files can be downloaded.')
    const main = html`<div class="title"><h1>Files</h1>${may('areas:write') && html`<a class="button primary" href="/app/files/upload">Upload a file</a>`}</div>
${(shown.length > 0 || status) && filterForm(filters, { scan_status: status })}
${shown.length === 0 ? none : fileTable(shown)}
${older(section.path, { scan_status: status })}`
    return { title: 'Files', main }
  },
})

const verdictWords = (status: objects.ScanStatus): string => status.replace('_', ' ')

const filters = [
  {
    name: 'scan_status',
    label: 'Verdict',
    any: 'All',
    options: objects.ScanStatus.options.map((one) => [one, verdictWords(one)] as const),
  },
]

const fileTable = (shown: readonly objects.FileObject[]): Html =>
  dataTable('Files', shown, {
    File: (one) => html`<a href="/app/files/${one.id}">${one.filename}</a>`,
    Verdict: (one) => verdictOf(one),
    Product: ['break', (one) => one.product_key],
    Tenant: ['break', (one) => one.tenant_id],
    Size: (one) => amountOf('bytes', one.byte_size),
    'Upload started': (one) => ago(one.created_at),
  })

const bad: readonly string[] = ['infected', 'suspicious', 'unscannable', 'error']

export const verdictOf = ({ scan_status: status }: Pick<objects.FileObject, 'scan_status'>): Html =>
  html`<span class="${status === 'clean' ? 'good' : bad.includes(status) ? 'bad' : 'quiet'}">${verdictWords(status)}</span>`

const Started = z.object({
  object_id: Id,
  upload_url: z.url(),
  upload_headers: z.record(z.string(), z.string()),
  upload_token: z.string(),
})

export const { show: askForFile, submit: startUpload } = formPage({
  path: '/files/upload',
  summary: 'Upload a file',
  section,
  permission: 'areas:write',
  fields: ChosenFile.extend({ product_key: z.string(), tenant_id: z.string() }),
  async view({ member, services, host, filled, fault }) {
    const more = html`${textField(filled, { name: 'product_key', label: 'Product', otherwise: 'dashboard', required: true, hint: 'The product that the file belongs to.' })}
${textField(filled, { name: 'tenant_id', label: 'Tenant', otherwise: 'dashboard', required: true, hint: 'The customer that the file belongs to.' })}`
    const given = { path: '/app/files/upload', label: 'File', words: 'Upload', more }
    const main = html`${parentLink('Files', section.path)}<h1>Upload a file</h1>${renderFault(fault)}
${uploadForm(member, filled, given)}`
    return { title: 'Upload a file', main, reaches: { sends: [getPublicBase(host), services(storage).publicOrigin] } }
  },
  async submit({ ask, host, given: { bytes, filename, type, product_key, tenant_id } }) {
    const facts = { product_key, tenant_id, filename, content_type: type || 'application/octet-stream' }
    const body = { ...facts, byte_size: bytes, browser: { origins: [host] } }
    const { object_id, upload_url, upload_headers, upload_token } = await ask(start, { body }, Started)
    const to = `${section.path}/${object_id}`
    const session = { kind: 'file', id: object_id, token: upload_token, api: getPublicBase(host), to } as const
    const part = sessionPart({ ...session, resume: '/app/files/upload', url: upload_url, headers: upload_headers })
    return { view: { title: 'Upload a file', main: part } }
  },
})
