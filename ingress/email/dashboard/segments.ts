import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as segments from '#sql/email/contacts/segments.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type FormState, linesField, selectField, textField } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { copyable, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, preview, remove } from '../segments.ts'
import { formatConditions, parseConditions } from './condition-lines.ts'

export const section = {
  title: 'Segments',
  path: '/app/segments',
  group: 'Email',
  guide: 'email',
  permission: 'log:read',
} as const satisfies DashboardSection

const params = z.object({ segment_id: pathId('segment') })
const matches = [
  ['all', 'all conditions match'],
  ['any', 'at least one condition matches'],
] as const

export const overview = page({
  path: '/segments',
  summary: 'List segments',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  async view({ db, member, may, query: { before } }) {
    const found = await segments.list(db, member.orgId, { before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const main = html`<div class="title"><h1>Segments</h1>${may('areas:write') && html`<a class="button primary" href="/app/segments/new">Create segment</a>`}</div>
${shown.length === 0 ? emptyState('No segments yet. Without a segment, a campaign goes to all confirmed contacts.', 'A segment selects contacts by tags, attributes and other fields.') : segmentTable(shown)}
${older(section.path)}`
    return { title: 'Segments', main }
  },
})

const segmentTable = (shown: readonly segments.NamedSegment[]): Html =>
  dataTable('Segments', shown, {
    Name: (one) => html`<a href="/app/segments/${one.id}">${one.name}</a>`,
    Conditions: ['break wide', (one) => formatConditions(one).join(one.match === 'all' ? ' and ' : ' or ')],
    Updated: (one) => ago(one.updated_at),
  })

const Counts = z.object({ confirmed: z.number(), unconfirmed: z.number(), unsubscribed: z.number() }).nullable()

const countsLine = (counts: z.infer<typeof Counts>): string =>
  counts === null
    ? 'Too many contacts to count.'
    : `${count(counts.confirmed)} confirmed, ${count(counts.unconfirmed)} unconfirmed, ${count(counts.unsubscribed)} unsubscribed.`

function form(member: Member, filled: FormState, fault: string | undefined, counted?: Html) {
  const main = html`${parentLink('Segments', section.path)}<h1>Create a segment</h1>${renderFault(fault)}${counted}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'name', label: 'Name', required: true })}
${selectField(filled, { name: 'match', label: 'Match', options: matches })}
${linesField(filled, {
  name: 'conditions',
  label: 'Conditions',
  required: true,
  hint: html`One condition per line: <code>tag has customer</code>, <code>attributes.city eq Tallinn</code>, <code>attributes.orders gte 3</code>, <code>name exists</code>, <code>created_at after 2026-01-31T00:00:00Z</code>.`,
})}
<p class="actions"><button name="what" value="save">Save segment</button> <button class="plain" name="what" value="count">Count contacts</button></p></form>`
  return { title: 'New segment', main }
}

export const { show: askForSegment, submit: add } = formPage({
  path: '/segments/new',
  summary: 'Create a segment',
  section,
  permission: 'areas:write',
  fields: z.object({
    name: z.string().max(1_000),
    match: z.enum(['all', 'any']),
    conditions: z.string().max(20_000),
    what: z.enum(['save', 'count']).default('save'),
  }),
  async view({ member, filled, fault }) {
    return form(member, filled, fault)
  },
  async submit({ ask, member, given }) {
    const { name, match, what } = given
    const rule = { match, conditions: parseConditions(given.conditions) }
    if (what === 'count') {
      const { contacts } = await ask(preview, { body: rule }, z.object({ contacts: Counts }))
      const told = html`<p class="note" role="status">Matching contacts: ${countsLine(contacts)}</p>`
      return { view: form(member, { given, faults: {} }, undefined, told) }
    }
    const { id } = await ask(create, { body: { name: name.trim(), ...rule } }, z.object({ id: Id }))
    return { to: `/app/segments/${id}`, told: 'Segment saved.' }
  },
})

export const read = page({
  path: '/segments/{segment_id}',
  summary: 'Show a segment and its contact count',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, params }) {
    const found = await mustFind(segments.find(db, member.orgId, params.segment_id), 'segment')
    const { match, conditions, groups } = found
    const counts = await segments.count(db, member.orgId, { match, conditions, groups }, false)
    const whole = counts && { confirmed: 0, unconfirmed: 0, unsubscribed: 0, ...counts }
    const main = html`${parentLink('Segments', section.path)}<h1>${found.name}</h1>
<dl class="facts"><div><dt>Segment</dt><dd>${copyable(found.id, 'the segment ID')}</dd></div>
<div><dt>Contacts</dt><dd>${countsLine(whole)}</dd></div><div><dt>Match</dt><dd>${Object.fromEntries(matches)[match]}</dd></div>
<div><dt>Updated</dt><dd>${ago(found.updated_at)}</dd></div></dl>
<section><h2>Conditions</h2><pre tabindex="0">${formatConditions(found).join('\n')}</pre></section>
${may('areas:write') && html`<p class="actions"><a class="button" href="/app/segments/${found.id}/remove">Delete</a></p>`}`
    return { title: found.name, main }
  },
})

export const { show: askToRemove, submit: drop } = formPage({
  path: '/segments/{segment_id}/remove',
  summary: 'Delete a segment',
  section,
  permission: 'areas:write',
  params,
  fields: z.object({}),
  async view({ db, member, params, fault }) {
    const { id, name } = await mustFind(segments.find(db, member.orgId, params.segment_id), 'segment')
    const main = html`${parentLink(name, `/app/segments/${id}`)}<h1>Delete ${name}?</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
<p>Contacts are not deleted. Campaigns that used this segment keep its conditions.</p>
<p class="actions"><button class="grave">Delete segment</button> <a class="button plain" href="/app/segments/${id}">Cancel</a></p></form>`
    return { title: `Delete ${name}`, main }
  },
  async submit({ ask, params: { segment_id } }) {
    await ask(remove, { params: { id: segment_id } }, z.unknown())
    return { to: section.path, told: 'Segment deleted.' }
  },
})
