import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/knowledge/stores.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago, amountOf, count } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../vector-stores.ts'
import { nameOf, pathOf, section } from './stores-section.ts'

export const overview = page({
  path: '/stores',
  summary: 'List the vector stores of the organisation',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, services, query: { before } }) {
    const found = await rows.list(db, member.orgId, { after: before, order: 'desc', limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const add = may('areas:write') && linkButton(`${section.path}/new`, 'Create vector store', { primary: true })
    const none = emptyState(
      'No vector stores yet. A vector store is a collection of files that your application searches.',
      undefined,
      add,
    )
    const main = html`<div class="title"><h1>Vector stores</h1>${shown.length > 0 && add}</div>
${shown.length === 0 ? none : storeTable(shown)}
${older(section.path)}
${add && apiCall(services, 'ai.vector-stores.create', { body: { name: 'Manuals' } })}`
    return { title: 'Vector stores', main }
  },
})

const storeTable = (shown: readonly rows.Store[]): Html =>
  dataTable('Vector stores', shown, {
    Store: ['break', (store) => html`<a href="${pathOf(store.id)}">${nameOf(store)}</a>`],
    Files: ['number', (store) => count(store.files_completed)],
    'In progress': ['number', (store) => count(store.files_in_progress)],
    Failed: ['number', (store) => count(store.files_failed)],
    Text: ['number', (store) => amountOf('bytes', store.usage_bytes)],
    Expires: ({ expires_at }) => (expires_at ? ago(expires_at) : quiet('never')),
    Used: ({ last_active_at }) => ago(last_active_at),
  })

export const { show: askForStore, submit: addStore } = formPage({
  path: '/stores/new',
  summary: 'Create a vector store',
  section,
  permission: 'areas:write',
  fields: z.object({
    name: z.string().trim().min(1, 'is required').max(256),
    days: optionalField(z.coerce.number().int().min(1).max(365)),
  }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink(section.title, section.path)}<h1>Create vector store</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'For example, Manuals.' })}
${textField(filled, { name: 'days', label: 'Days until an unused store is deleted', hint: 'Optional. 1 to 365. Leave blank to keep the store.' })}
<p class="actions"><button>Create vector store</button> <a class="button plain" href="${section.path}">Cancel</a></p></form>`
    return { title: 'Create vector store', main }
  },
  async submit({ ask, given: { name, days } }) {
    const expires = days === undefined ? {} : { expires_after: { anchor: 'last_active_at', days } }
    const made = await ask(create, { body: { name, ...expires } }, z.object({ id: z.string() }))
    return { to: pathOf(made.id), told: 'Vector store created.' }
  },
})
