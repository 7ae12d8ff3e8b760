import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as segments from '#sql/email/contacts/segments.ts'
import type { DashboardSection } from '../../http/dashboard/contents.ts'
import { fragment } from '../../http/dashboard/fragment.ts'
import { formPage, type PageCall, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import type { FormState } from '../../http/html/form.ts'
import { ago, count } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { copyable, emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, preview, remove, update } from '../segments.ts'
import { formatConditions } from './condition-lines.ts'
import { matches, segmentBuilder } from './segment-builder.ts'
import {
  type Builder,
  changeBuilder,
  fromSegment,
  readBuilder,
  rowFields,
  toBuilder,
  toRule,
  withRows,
} from './segment-rows.ts'

export const section = {
  title: 'Segments',
  path: '/app/segments',
  group: 'Email',
  guide: 'email',
  permission: 'log:read',
} as const satisfies DashboardSection

const params = z.object({ segment_id: pathId('segment') })
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
${shown.length === 0 ? emptyState('No segments yet. Without a segment, a campaign goes to all confirmed contacts.', 'A segment selects contacts by tags, attributes and other fields.', may('areas:write') && linkButton('/app/segments/new', 'Create segment')) : segmentTable(shown)}
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

const segmentFields = z.object({
  name: z.string().max(1_000).default(''),
  ...rowFields,
  what: z.string().max(20).default('save'),
})

interface Shown {
  title: string
  parent: Html
  now?: segments.NamedSegment
  fault?: string | undefined
  counted?: Html
  builder?: Builder
}

function form(member: Member, filled: FormState, { title, parent, now, fault, counted, builder }: Shown) {
  const rows = builder ?? readBuilder(filled.given) ?? (now ? fromSegment(now) : { match: 'all', groups: [], rows: [] })
  const hasFaults = Object.keys(filled.faults).length > 0
  const main = html`${parent}<h1>${title}</h1>${renderFault(hasFaults ? 'Some fields are invalid.' : fault)}
<form class="form builder" method="post" data-count="/app/segments/count">${tokenField(member)}<button class="unseen" name="what" value="save" tabindex="-1" aria-hidden="true">Save</button>
${segmentBuilder(filled, now?.name ?? '', rows)}
<p class="actions"><button class="plain" name="what" value="group" formnovalidate>Add group</button></p>
<div data-fresh role="status">${counted}</div>
<p class="actions"><button name="what" value="save">Save segment</button> <button class="plain" name="what" value="count" data-scriptless>Count contacts</button></p></form>`
  return { title, main }
}

const newForm = (member: Member, filled: FormState, more: Partial<Shown>) =>
  form(member, filled, { title: 'Create a segment', parent: parentLink('Segments', section.path), ...more })

const Previewed = z.object({ contacts: Counts, some: z.array(z.object({ email: z.string() })).nullable() })

const mostNamed = 5

/** Counts the contacts of a form and names some of them. */
async function countedOf(ask: PageCall<unknown, unknown>['ask'], builder: Builder): Promise<Html> {
  const { body } = toRule(builder)
  if (body.conditions.length + body.groups.length === 0) {
    return html`<p class="note">Complete a condition to see how many contacts match.</p>`
  }
  try {
    const { contacts, some } = await ask(preview, { body }, Previewed)
    const named = (some ?? []).slice(0, mostNamed).map(({ email }) => email)
    return html`<p class="note">Matching contacts: <strong>${countsLine(contacts)}</strong>${named.length > 0 && html` <span class="quiet">For example, ${named.join(', ')}</span>`}</p>`
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    const words = error.status === 400 ? 'Complete the conditions to see how many contacts match.' : error.message
    return html`<p class="note">${words}</p>`
  }
}

export const { show: askForSegment, submit: add } = formPage({
  path: '/segments/new',
  summary: 'Create a segment',
  section,
  permission: 'areas:write',
  fields: segmentFields,
  view: async ({ member, filled, fault }) => newForm(member, filled, { fault }),
  async submit({ ask, member, given }) {
    const builder = toBuilder(given)
    const filled = { given: { name: given.name }, faults: {} }
    if (given.what === 'count')
      return { view: newForm(member, filled, { builder, counted: await countedOf(ask, builder) }) }
    if (given.what !== 'save') return { view: newForm(member, filled, { builder: changeBuilder(builder, given.what) }) }
    const { body, rowOf } = toRule(builder)
    const named = { name: given.name.trim(), ...body }
    const { id } = await withRows(rowOf, () => ask(create, { body: named }, z.object({ id: Id })))
    return { to: `/app/segments/${id}`, told: 'Segment saved.' }
  },
})

export const { show: askForChanges, submit: change } = formPage({
  path: '/segments/{segment_id}/edit',
  summary: 'Update a segment',
  section,
  permission: 'areas:write',
  params,
  fields: segmentFields,
  view: async ({ db, member, params, filled, fault }) =>
    await editForm(db, member, params.segment_id, filled, { fault }),
  async submit({ db, ask, member, params: { segment_id: id }, given }) {
    const builder = toBuilder(given)
    const filled = { given: { name: given.name }, faults: {} }
    if (given.what === 'count')
      return { view: await editForm(db, member, id, filled, { builder, counted: await countedOf(ask, builder) }) }
    if (given.what !== 'save')
      return { view: await editForm(db, member, id, filled, { builder: changeBuilder(builder, given.what) }) }
    const { body, rowOf } = toRule(builder)
    const named = { name: given.name.trim(), ...body }
    await withRows(rowOf, () => ask(update, { params: { id }, body: named }, z.unknown()))
    return { to: `/app/segments/${id}`, told: 'Segment saved.' }
  },
})

async function editForm(db: Db, member: Member, id: string, filled: FormState, more: Partial<Shown>) {
  const now = await mustFind(segments.find(db, member.orgId, id), 'segment')
  const parent = parentLink(now.name, `/app/segments/${id}`)
  return form(member, filled, { title: `Edit ${now.name}`, parent, now, ...more })
}

/** What the builder shows while its rows are edited. */
export const countMatching = fragment({
  path: '/segments/count',
  summary: 'Count the contacts that match a form',
  permission: 'areas:write',
  fields: segmentFields,
  answer: async ({ ask, given }) => await countedOf(ask, toBuilder(given)),
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
${may('areas:write') && html`<p class="actions"><a class="button" href="/app/segments/${found.id}/edit">Edit</a> <a class="button" href="/app/segments/${found.id}/remove">Delete</a></p>`}`
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
