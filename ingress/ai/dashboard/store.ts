import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as files from '#sql/knowledge/store-files.ts'
import * as rows from '#sql/knowledge/stores.ts'
import { findById } from '../../http/dashboard/finders.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { linesField, textField } from '../../http/html/form.ts'
import { ago, amountOf, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import {
  actionButton,
  copyable,
  emptyState,
  linkButton,
  parentLink,
  renderFault,
  tokenField,
} from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create as addFile, remove as removeFile } from '../vector-store-files.ts'
import { remove as removeStore, search } from '../vector-stores.ts'
import { nameOf, ofStore, pathOf, section } from './stores-section.ts'

const Query = z.object({ before: Id.optional(), q: z.string().trim().max(4_096).default('') })

export const finders = [findById('Vector store', section.path, rows.find, { permission: 'log:read', name: 'name' })]

export const read = page({
  path: '/stores/{store_id}',
  summary: 'Show a vector store with its files',
  section,
  permission: 'log:read',
  params: ofStore,
  query: Query,
  async view({ db, member, may, ask, services, params: { store_id: id }, query: { before, q } }) {
    const store = await mustFind(rows.find(db, member.orgId, id), 'vector store')
    const found = await files.list(db, id, { after: before, order: 'desc', limit: perPage + 1 }, {})
    const { shown, older } = cutPage(found.map((file) => ({ ...file, id: file.file_id })))
    const write = may('areas:write')
    const add = write && linkButton(`${pathOf(id)}/text`, 'Add text')
    const results = write && q !== '' && (await ask(search, { params: { storeId: id }, body: { query: q } }, Results))
    const none = emptyState('No files yet.', 'Upload files with the API, or add a text.', add)
    const main = html`${parentLink(section.title, section.path)}<div class="title"><h1>${nameOf(store)}</h1>${shown.length > 0 && add}</div>
${store.description && html`<p class="lead">${store.description}</p>`}
${facts(store)}
${write && searchForm(q)}${results && renderResults(results.data)}
<section><h2>Files</h2>${shown.length === 0 ? none : fileTable(shown, write ? member : undefined)}${older(pathOf(id))}</section>
${
  write &&
  html`${apiCall(services, 'ai.vector-stores.search', { path: { storeId: id }, body: { query: q || 'How long do refunds take?' } })}
<section><h2>Actions</h2><p class="actions spaced">${actionButton(member, `${pathOf(id)}/remove`, 'Delete vector store', { grave: true })}</p></section>`
}`
    return { title: nameOf(store), main }
  },
})

const facts = (store: rows.Store): Html => html`<dl class="facts">
<div><dt>Files</dt><dd>${count(store.files_completed)} completed, ${count(store.files_in_progress)} in progress, ${count(store.files_failed)} failed</dd></div>
<div><dt>Text</dt><dd>${amountOf('bytes', store.usage_bytes)}</dd></div>
<div><dt>Used</dt><dd>${ago(store.last_active_at)}</dd></div>
<div><dt>Expires</dt><dd>${store.expires_at ? ago(store.expires_at) : quiet('never')}</dd></div>
<div><dt>Store</dt><dd>${copyable(store.id, 'the ID of the store')}</dd></div></dl>`

const searchForm = (q: string): Html => html`<form class="filter" method="get" role="search">
<div class="wide"><label for="q">Try a search</label><input id="q" name="q" type="search" maxlength="4096" value="${q}"></div>
<div class="send"><button>Search</button></div></form>`

const Results = z.object({
  data: z.array(
    z.object({
      filename: z.string(),
      score: z.number(),
      content: z.array(z.object({ text: z.string() })),
    }),
  ),
})

function renderResults(found: z.output<typeof Results>['data']): Html {
  if (found.length === 0) return html`<p class="empty" role="status">No text fits this query.</p>`
  const numbered = found.map((one, i) => ({ ...one, id: String(i) }))
  return html`<section role="status" aria-labelledby="results"><h2 id="results">Results</h2>${dataTable(
    'Results',
    numbered,
    {
      File: ['break', ({ filename }) => filename],
      Score: ['number', ({ score }) => score.toFixed(2)],
      Text: ['wide break', ({ content }) => content.map(({ text }) => text).join('\n')],
    },
  )}</section>`
}

const shownAttributes = ({ attributes }: files.StoreFile): string =>
  Object.entries(attributes)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ')

const fileTable = (shown: readonly files.StoreFile[], member: Member | undefined): Html =>
  dataTable('Files', shown, {
    File: ['break', ({ filename }) => filename],
    Status: [
      'break',
      ({ status, error }) => html`${statusBadge(status)}${error && html` <span class="quiet">${error.message}</span>`}`,
    ],
    Attributes: ['wide break', (file) => shownAttributes(file) || quiet('none')],
    Text: ['number', ({ usage_bytes }) => amountOf('bytes', usage_bytes)],
    Added: ({ created_at }) => ago(created_at),
    ...(member && {
      Change: [
        'actions',
        ({ store_id, file_id, filename }: files.StoreFile) =>
          actionButton(member, `${pathOf(store_id)}/files/${file_id}/remove`, 'Remove', { of: filename }),
      ],
    }),
  })

export const { show: askForText, submit: addText } = formPage({
  path: '/stores/{store_id}/text',
  summary: 'Add a text to a vector store',
  section,
  permission: 'areas:write',
  params: ofStore,
  fields: z.object({ filename: z.string().trim().min(1, 'is required').max(255), content: z.string() }),
  async view({ db, member, params: { store_id: id }, filled, fault }) {
    const store = await mustFind(rows.find(db, member.orgId, id), 'vector store')
    const main = html`${parentLink(nameOf(store), pathOf(id))}<h1>Add text</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'filename', label: 'Name', required: true, hint: 'For example, refunds.md.' })}
${linesField(filled, { name: 'content', label: 'Text', required: true, prose: true })}
<p class="actions"><button>Add text</button> <a class="button plain" href="${pathOf(id)}">Cancel</a></p></form>`
    return { title: 'Add text', main }
  },
  async submit({ ask, params: { store_id: storeId }, given }) {
    await ask(addFile, { params: { storeId }, body: given }, z.unknown())
    return { to: pathOf(storeId), told: 'Text added.' }
  },
})

export const takeOff = action({
  path: '/stores/{store_id}/files/{file_id}/remove',
  summary: 'Remove a file from a vector store',
  permission: 'areas:write',
  params: ofStore.extend({ file_id: pathId('file') }),
  back: ({ store_id }) => pathOf(store_id),
  async perform({ ask, params: { store_id: storeId, file_id: fileId } }) {
    await ask(removeFile, { params: { storeId, fileId } }, z.unknown())
    return { to: pathOf(storeId), told: 'File removed.' }
  },
})

export const remove = action({
  path: '/stores/{store_id}/remove',
  summary: 'Delete a vector store',
  permission: 'areas:write',
  params: ofStore,
  back: ({ store_id }) => pathOf(store_id),
  async perform({ ask, params: { store_id: storeId } }) {
    await ask(removeStore, { params: { storeId } }, z.unknown())
    return { to: section.path, told: 'Vector store deleted.' }
  },
})
