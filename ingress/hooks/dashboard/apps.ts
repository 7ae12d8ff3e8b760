import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as rows from '#sql/hooks/apps.ts'
import { findById } from '../../http/dashboard/finders.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../apps.ts'
import { appFields, appInputs, toApp } from './app-form.ts'
import { appPath, section, typesPath } from './section.ts'

const sample = { name: 'Acme Ltd', uid: 'customer-1042' }

export const overview = page({
  path: '/hooks',
  summary: 'List the apps that receive your webhooks',
  section,
  permission: 'webhooks:read',
  query: z.object({
    name: optionalField(z.string().max(200)),
    uid: optionalField(z.string().max(200)),
    before: Id.optional(),
  }),
  async view({ db, member, may, services, query: { name, uid, before } }) {
    const where = whereOf(rows.filters, { name, uid })
    const { shown, older } = cutPage(await rows.list(db, member.orgId, { where, before, limit: perPage + 1 }))
    const filtered = name !== undefined || uid !== undefined
    const add = may('webhooks:write') && linkButton(`${section.path}/new`, 'Create app', { primary: true })
    const main = html`<div class="title"><h1>Customer webhooks</h1><p class="actions"><a class="button" href="${typesPath}">Event types</a> ${add}</p></div>
${
  (shown.length > 0 || filtered || before !== undefined) &&
  filterForm(
    [
      { name: 'name', label: 'Name', type: 'search' },
      { name: 'uid', label: 'Your ID', narrow: true },
    ],
    { name, uid },
    { button: 'Search apps' },
  )
}
${shown.length > 0 ? html`${appTable(shown)}${older(section.path, { name, uid })}` : empty(filtered, add)}
${add && apiCall(services, 'hooks.apps.create', { body: sample })}`
    return { title: 'Customer webhooks', main }
  },
})

const empty = (filtered: boolean, add: Html | false): Html =>
  filtered
    ? emptyState('No apps match this search.')
    : emptyState(
        'Your apps appear here.',
        'An app is one of your customers. It has its own endpoints and messages.',
        add,
      )

const appTable = (shown: readonly rows.App[]): Html =>
  dataTable('Apps', shown, {
    App: (one) => html`<a href="${appPath(one.id)}">${one.name}</a>`,
    'Your ID': ['break', (one) => one.uid ?? quiet('none')],
    Status: (one) => statusBadge(one.disabled_at ? 'disabled' : 'enabled'),
    Created: (one) => ago(one.created_at),
  })

export const { show: askForApp, submit: add } = formPage({
  path: '/hooks/new',
  summary: 'Create an app for customer webhooks',
  section,
  permission: 'webhooks:write',
  fields: z.object(appFields),
  async view({ member, services, filled, fault }) {
    const main = html`${parentLink('Customer webhooks', section.path)}<h1>Create an app</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${appInputs(filled)}
<div class="submit"><button class="primary">Create app</button> <a class="button plain" href="${section.path}">Cancel</a></div></form>
${apiCall(services, 'hooks.apps.create', { body: sample })}`
    return { title: 'Create an app', main }
  },
  async submit({ ask, given }) {
    const { uid, metadata, ...body } = toApp(given)
    const made = await ask(
      create,
      { body: { ...body, ...(uid !== null && { uid }), metadata } },
      z.object({ id: z.string() }),
    )
    return { to: appPath(made.id), told: 'App created.' }
  },
})

export const finders = [
  findById('Customer webhooks app', `${section.path}/apps`, rows.find, { permission: 'webhooks:read', name: 'name' }),
]
