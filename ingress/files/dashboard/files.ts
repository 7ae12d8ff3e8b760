import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as objects from '#sql/files/objects.ts'
import { whereOf } from '#sql/filters.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Filter, filterForm } from '../../http/html/filter-form.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago, amountOf } from '../../http/html/format.ts'
import { type Html, html, queryString } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault } from '../../http/html/parts.ts'
import { ChosenFile, sessionPart, uploadForm } from '../../http/html/upload-form.ts'
import { MetadataFilter } from '../../http/request/metadata.ts'
import { storage } from '../../http/services.ts'
import { Folder, Sha256 } from '../fields.ts'
import { folderNavigation, folderPath } from './folders.ts'
import { bucketsPath, section } from './section.ts'
import { startSession } from './upload-session.ts'

export { section }

const query = z.object({
  scan_status: optionalField(objects.ScanStatus),
  visibility: optionalField(objects.Visibility),
  product_key: optionalField(z.string().trim().max(100)),
  sha256: optionalField(Sha256),
  metadata: optionalField(MetadataFilter),
  folder: optionalField(Folder),
  before: Id.optional(),
})

export const overview = page({
  path: '/files',
  summary: 'List files and their verdicts, newest first',
  section,
  query,
  async view({ db, member, may, region, query: { before, ...filter } }) {
    const given = { ...filter, metadata: filter.metadata && `${filter.metadata.key}:${filter.metadata.value}` }
    const isFiltered = Object.values(given).some((value) => value !== undefined)
    const found = await read(db, member.orgId, { ...filter, before }, perPage + 1)
    const { shown, older } = cutPage(found)
    const none =
      isFiltered || before
        ? emptyState('No files match these filters.')
        : emptyState(
            'No files yet.',
            'Uploaded files are scanned. Clean files can be downloaded.',
            may('areas:write') && linkButton('/app/files/upload', 'Upload a file'),
          )
    const { folder, ...others } = given
    const main = html`<div class="title"><h1>Files</h1><div class="actions">${linkButton(bucketsPath, 'Buckets')}<a class="button plain" href="/app/files/uploads">Unfinished uploads</a>${may('areas:write') && html`<a class="button primary" href="/app/files/upload">Upload a file</a>`}</div></div>
${await folderNavigation(db, member.orgId, folder)}
${(shown.length > 0 || isFiltered) && filterForm(filters, others, { clear: folderPath(folder), hidden: { folder } })}
${shown.length === 0 ? none : pickable(may('areas:write'), await region(regionOf(may('areas:write'), { ...given, before })))}
${older(section.path, given)}`
    return { title: 'Files', main }
  },
})

type Given = z.output<typeof query>

async function read(db: Db, orgId: string, { before, sha256, metadata, ...filter }: Given, limit: number) {
  const where = whereOf(objects.filters, filter)
  return await objects.list(db, { orgId }, { where, before, limit, sha256, metadata })
}

const regionOf = (picks: boolean, given: Readonly<Record<string, string | undefined>>): string =>
  `files/${picks ? 'pick' : 'read'}/${encodeURIComponent(queryString(given).slice(1))}`

/** A page of the list. Its words say whether files can be selected, and the query of the page. */
export const filesRegion: OrgRegion = {
  everyMs: 3_000,
  async read(db, orgId, [picks, text = '']) {
    const given = query.safeParse(Object.fromEntries(new URLSearchParams(decoded(text))))
    if (!given.success) return null
    return fileTable(await read(db, orgId, given.data, perPage), picks === 'pick')
  },
}

/** Decodes a part of a region’s name. Browsers send it, so it can be invalid. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

const pickable = (may: boolean, table: Html): Html =>
  may
    ? html`<form method="get" action="${section.path}/delete">${table}<p class="actions spaced"><button>Delete selected files</button></p></form>`
    : table

const verdictWords = (status: objects.ScanStatus): string => status.replace('_', ' ')

const filters: readonly Filter[] = [
  {
    name: 'scan_status',
    label: 'Verdict',
    any: 'All',
    options: objects.ScanStatus.options.map((one) => [one, verdictWords(one)] as const),
  },
  {
    name: 'visibility',
    label: 'Visibility',
    any: 'All',
    options: objects.Visibility.options.map((one) => [one, one] as const),
  },
  { name: 'product_key', label: 'Product', most: 100 },
  { name: 'metadata', label: 'Metadata', placeholder: 'key:value', most: 550 },
  { name: 'sha256', label: 'SHA-256', most: 64 },
]

const fileTable = (shown: readonly objects.FileObject[], picks: boolean): Html =>
  dataTable({ caption: 'Files', key: ({ id }) => id }, shown, {
    File: [
      'break pick',
      ({ id, filename, folder }) =>
        html`${picks && html`<input type="checkbox" name="id" value="${id}" aria-label="Select ${filename}">`}<a href="/app/files/${id}">${filename}</a>${folder && html`<div class="quiet">in ${folder}</div>`}`,
    ],
    Verdict: (one) => verdictOf(one),
    Product: ['break', (one) => one.product_key],
    Tenant: ['break', (one) => one.tenant_id],
    Visibility: (one) => one.visibility,
    Size: ['number', (one) => amountOf('bytes', one.byte_size)],
    'Upload started': (one) => ago(one.created_at),
  })

/** Renders a verdict. */
export const verdictOf = ({ scan_status: status }: Pick<objects.FileObject, 'scan_status'>): Html =>
  statusBadge(status, { shown: verdictWords(status) })

export const { show: askForFile, submit: startUpload } = formPage({
  path: '/files/upload',
  summary: 'Upload a file',
  section,
  permission: 'areas:write',
  fields: ChosenFile.extend({ product_key: z.string(), tenant_id: z.string(), folder: optionalField(z.string()) }),
  async view({ member, services, host, filled, fault }) {
    const more = html`${textField(filled, { name: 'product_key', label: 'Product', otherwise: 'dashboard', required: true, hint: 'The product that the file belongs to.' })}
${textField(filled, { name: 'tenant_id', label: 'Tenant', otherwise: 'dashboard', required: true, hint: 'The customer that the file belongs to.' })}
${textField(filled, { name: 'folder', label: 'Folder', hint: 'Optional. For example, invoices/2026.' })}`
    const given = { path: '/app/files/upload', label: 'File', words: 'Upload', more }
    const main = html`${parentLink('Files', section.path)}<h1>Upload a file</h1>${renderFault(fault)}
${uploadForm(member, filled, given)}`
    return { title: 'Upload a file', main, reaches: { sends: [getPublicBase(host), services(storage).publicOrigin] } }
  },
  async submit({ ask, host, given: { bytes, filename, type, product_key, tenant_id, folder } }) {
    const facts = { product_key, tenant_id, filename, folder, content_type: type || 'application/octet-stream' }
    const session = await startSession({ ask, host }, { ...facts, byte_size: bytes })
    return { view: { title: 'Upload a file', main: sessionPart(session) } }
  },
})
