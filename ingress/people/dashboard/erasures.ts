import { z } from 'zod'
import { notFound } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as rows from '#sql/people/erasures.ts'
import { isKnown } from '#sql/people/keys.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago, count, formatInstant } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, presentReceipt } from '../erasures.ts'
import { params, personOf } from '../fields.ts'
import { erasurePath, personPath, renderTabs, section } from './section.ts'

export const overview = page({
  path: '/people/erasures',
  summary: 'List erasures of people',
  section,
  permission: 'people:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, services, query: { before } }) {
    const found = await rows.list(db, member.orgId, { where: everything, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const main = html`${renderTabs('Erasures')}
${shown.length === 0 ? emptyState('No erasures yet.', 'To erase a person, open the page of the person.') : erasureTable(shown)}
${older('/app/people/erasures')}
${apiCall(services, 'people.erasures.create')}`
    return { title: 'Erasures', main }
  },
})

const erasureTable = (shown: readonly rows.Erasure[]): Html =>
  dataTable('Erasures', shown, {
    Person: (one) => html`<a href="${erasurePath(one.id)}">${one.user_id}</a>`,
    Status: (one) => one.status,
    'Requested by': ['break', (one) => one.requested_by],
    Reason: ['break', (one) => one.reason ?? '–'],
    Requested: (one) => ago(one.created_at),
    Finished: (one) => ago(one.finished_at),
  })

export const one = page({
  path: '/people/erasures/{erasure_id}',
  summary: 'Show the receipt of an erasure',
  section,
  permission: 'people:read',
  params: z.object({ erasure_id: pathId('erasure') }),
  async view({ db, member, region, params: { erasure_id } }) {
    const erasure = await mustFind(rows.find(db, member.orgId, erasure_id), 'erasure')
    const main = html`${parentLink('Erasures', '/app/people/erasures')}<h1>Erasure of ${erasure.user_id}</h1>
${await region(`people-erasure/${erasure_id}`)}`
    return { title: `Erasure of ${erasure.user_id}`, main }
  },
})

export const receiptRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'people:read',
  async read(db, orgId, [id = '']) {
    const erasure = Id.safeParse(id).success ? await rows.find(db, orgId, id) : null
    if (!erasure) return null
    const { tables, objects } = await presentReceipt(db, erasure)
    const facts: [string, string | Html][] = [
      ['Status', statusBadge(erasure.status)],
      ['Requested', html`${ago(erasure.created_at)} by ${erasure.requested_by}`],
      ['Reason', erasure.reason ?? '–'],
      ['Finished', erasure.finished_at ? `${formatInstant(erasure.finished_at)} UTC` : '–'],
      ['Stored files', html`${count(objects.count)} deleted, ${count(objects.left)} left`],
    ]
    return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${erasure.error && html`<p class="fault">${erasure.error}</p>`}
<section><h2>Tables</h2>${tables.length === 0 ? emptyState('The erasure has not started yet.', 'Each table appears here with its number of rows.') : receiptTable(tables)}</section>`
  },
}

const receiptTable = (tables: Awaited<ReturnType<typeof presentReceipt>>['tables']): Html =>
  dataTable({ caption: 'Tables', key: (one) => `${one.name}-${one.action}` }, tables, {
    Table: (one) => html`<code>${one.name}</code>`,
    Action: (one) => one.action,
    Rows: ['number', (one) => count(one.rows)],
    Reason: ['break', (one) => one.reason ?? '–'],
  })

const Made = z.object({ id: Id })

export const { show: askToErase, submit: erase } = formPage({
  path: '/person/{user_id}/erase',
  summary: 'Erase a person in all areas',
  section,
  permission: 'people:write',
  stepUp: true,
  params,
  fields: z.object({ reason: optionalField(z.string()) }),
  async view({ db, member, filled, fault, params: { user_id } }) {
    if (!(await isKnown(db, personOf(member.orgId, user_id)))) throw notFound('person')
    const path = personPath(user_id)
    const main = html`${parentLink(user_id, path)}<h1>Erase ${user_id}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>All areas delete the person: messages, contacts, devices, conversations and files. You cannot undo this.</p>
<p>Campaign statistics and calls stay without anything about the person.</p>
${textField(filled, { name: 'reason', label: 'Reason', hint: 'Optional. For example, request of the person.' })}
<p class="actions"><button class="grave">Erase person</button> <a class="button plain" href="${path}">Cancel</a></p></form>`
    return { title: `Erase ${user_id}`, main }
  },
  async submit({ ask, given, params: { user_id } }) {
    const { id } = await ask(create, { params: { user_id }, body: given }, Made)
    return { to: erasurePath(id), told: 'Erasure started.' }
  },
})
