import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { whereOf } from '#sql/filters.ts'
import * as rows from '#sql/verify/prefixes.ts'
import { action, formPage } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, selectField, textField } from '../../http/html/form.ts'
import { ago, count, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { PhonePrefix } from '../fields.ts'
import { remove, set } from '../prefixes.ts'
import { section } from './verifications.ts'

const path = `${section.path}/prefixes`

export const { show, submit } = formPage({
  path: '/verify/prefixes',
  summary: 'List blocked and allowed ranges of phone numbers',
  section,
  permission: 'log:read',
  query: z.object({ before: Id.optional() }),
  fields: z.object({
    prefix: z.string().trim().default(''),
    state: z.string().default('blocked'),
    hours: optionalField(z.coerce.number()),
  }),
  async view({ db, member, may, query: { before }, filled, fault }) {
    const where = whereOf(rows.filters, {})
    const { shown, older } = cutPage(await rows.list(db, member.orgId, { where, before, limit: perPage + 1 }))
    const mayWrite = may('areas:write')
    const undo = (one: rows.Prefix) =>
      mayWrite && actionButton(member, `${path}/${encodeURIComponent(one.prefix)}/delete`, 'Delete')
    const main = html`${parentLink('Verification codes', section.path)}<h1>Ranges of phone numbers</h1>${renderFault(fault)}
<p class="lead">Millrace blocks a range if it has many verifications within an hour and few of them are approved. Blocked numbers get no codes.</p>
${shown.length === 0 ? emptyState('No blocked or allowed ranges.') : prefixTable(shown, undo)}
${older(path)}
${
  mayWrite &&
  html`<section aria-labelledby="decide"><h2 id="decide">Block or allow a range</h2>
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'prefix', label: 'First digits', required: true, hint: 'For example, +3725123. The longest range of a number applies.' })}
${selectField(filled, {
  name: 'state',
  label: 'Decision',
  options: [
    ['blocked', 'Block: no codes'],
    ['allowed', 'Allow: never block automatically'],
  ],
})}
${textField(filled, { name: 'hours', label: 'Hours', type: 'number', hint: 'Optional. Leave blank for a decision without an end.' })}
<button>Save decision</button></form></section>`
}`
    return { title: 'Ranges of phone numbers', main }
  },
  async submit({ ask, given: { prefix, ...body } }) {
    await ask(set, { params: { prefix }, body }, z.unknown())
    return { to: path, told: `Decision about ${prefix} saved.` }
  },
})

const prefixTable = (shown: readonly rows.Prefix[], undo: (one: rows.Prefix) => Html | false): Html =>
  dataTable('Ranges', shown, {
    Range: ({ prefix }) => html`<code>${prefix}</code>`,
    Decision: ({ state }) => statusBadge(state, { as: state === 'blocked' ? 'denied' : 'allow' }),
    Made: ({ source }) => (source === 'automatic' ? 'automatically' : 'by a member or key'),
    Approved: [
      'number',
      ({ source, starts, approved }) => (source === 'manual' ? quiet('–') : `${count(approved)} of ${count(starts)}`),
    ],
    Ends: ({ ends_at }) => (ends_at === null ? quiet('no end') : `${formatInstant(ends_at)} UTC`),
    Created: ({ created_at }) => ago(created_at),
    Actions: undo,
  })

export const undo = action({
  path: '/verify/prefixes/{prefix}/delete',
  summary: 'Delete a decision about a range',
  permission: 'areas:write',
  params: z.object({ prefix: PhonePrefix }),
  back: () => path,
  async perform({ ask, params }) {
    await ask(remove, { params }, z.unknown())
    return { to: path, told: `Decision about ${params.prefix} deleted.` }
  },
})
