import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as apps from '#sql/push/apps.ts'
import * as deviceCounts from '#sql/push/device-counts.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { textField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { create } from '../apps.ts'

export const section = {
  title: 'Push',
  path: '/app/push',
  group: 'Notifications',
  guide: 'push',
  permission: 'log:read',
} as const satisfies DashboardSection

export const overview = page({
  path: '/push',
  summary: 'List apps',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await apps.list(db, member.orgId, { only: undefined, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const devices = await deviceCounts.countActive(
      db,
      shown.map(({ id }) => id),
    )
    const templates = may('templates:read') && html`<a class="button" href="/app/push/templates">Templates</a>`
    const make = may('areas:write') && html`<a class="button primary" href="/app/push/new">Create an app</a>`
    const main = html`<div class="title"><h1>Push</h1><p class="actions">${templates} ${make}</p></div>
${shown.length === 0 ? emptyState('No apps yet.', 'Create an app to send messages to browsers and open web pages. iPhones and Android devices need your own credentials.') : appTable(shown, devices)}
${older(section.path)}`
    return { title: 'Push', main }
  },
})

const appTable = (shown: readonly apps.App[], devices: ReadonlyMap<string, number>): Html =>
  dataTable('Apps', shown, {
    App: ({ id, name }) => html`<a href="/app/push/${id}">${name}</a>`,
    Devices: ['number', ({ id }) => count(devices.get(id) ?? 0)],
    Created: ({ created_at }) => ago(created_at),
  })

export const { show: askForApp, submit: make } = formPage({
  path: '/push/new',
  summary: 'Create an app',
  section,
  permission: 'areas:write',
  fields: z.object({ name: z.string() }),
  async view({ member, filled, fault }) {
    const main = html`${parentLink('Push', section.path)}<h1>Create an app</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true, hint: 'Internal name. For example, Shop. The app gets its own key pair for Web Push.' })}
<button>Create</button></form>`
    return { title: 'Create an app', main }
  },
  async submit({ ask, given: { name } }) {
    const { id } = await ask(create, { body: { name } }, z.object({ id: Id }))
    return { to: `/app/push/${id}`, told: 'App created. Its keys are below.' }
  },
})
