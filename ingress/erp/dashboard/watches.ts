import { z } from 'zod'
import * as rows from '#sql/erp/watches.ts'
import { everything } from '#sql/filters.ts'
import { action, formPage, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { optionalField, textField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { olderLink, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, linkButton, parentLink, renderFault, tokenField } from '../../http/html/parts.ts'
import { pathId } from '../../http/request/validate.ts'
import { create, remove } from '../watches.ts'
import { reconcilersPart } from './reconcilers.ts'
import { companyPath, section, watchesPath } from './section.ts'

export const list = page({
  path: '/registry/watches',
  summary: 'List watched companies',
  section,
  query: z.object({ before: z.uuid().optional() }),
  async view(call) {
    const { db, member, may, services } = call
    const { before } = call.query
    const found = await rows.list(db, member.orgId, { where: everything, before, limit: perPage + 1 })
    const writes = may('areas:write')
    const shown = found.slice(0, perPage)
    const last = found.length > perPage && shown.at(-1)
    const add = writes && linkButton(`${watchesPath}/new`, 'Watch a company', { primary: true })
    const main = html`${parentLink(section.title, section.path)}<div class="title"><h1>Watched companies</h1>${add}</div>
<p class="lead">Millrace sends the webhook <code>erp.company.changed</code> when an import changes a watched company.</p>
${shown.length === 0 ? emptyState('Watched companies appear here.', 'Search for a company, then select Watch.') : watchTable(shown, member, writes)}
${last && olderLink(watchesPath, { before: last.id }, 'Older')}
${apiCall(services, 'erp.watches.create', { body: { code: '10000137', jurisdiction: 'xa' } })}
${await reconcilersPart(call, writes)}`
    return { title: 'Watched companies', main }
  },
})

const watchTable = (found: readonly rows.Watch[], member: Member, writes: boolean): Html =>
  dataTable('Watched companies', found, {
    Company: ['break', (one) => html`<a href="${companyPath(one)}">${one.name ?? one.code}</a>`],
    Code: (one) => html`<code>${one.code}</code>`,
    Country: (one) => one.jurisdiction.toUpperCase(),
    Status: (one) => (one.status ? statusBadge(one.status) : quiet('unknown')),
    Note: ['break', (one) => one.note ?? quiet('none')],
    Changed: (one) => (one.changed_at ? ago(one.changed_at) : quiet('not yet')),
    Actions: writes && [
      'actions',
      (one) => actionButton(member, `${watchesPath}/${one.id}/remove`, 'Stop watching', { of: one.name ?? one.code }),
    ],
  })

const short = optionalField(z.string().trim().max(200))

export const { show: ask, submit: watch } = formPage({
  path: '/registry/watches/new',
  summary: 'Watch a company',
  section,
  permission: 'areas:write',
  query: z.object({ code: short, jurisdiction: short }),
  fields: z.object({ code: z.string().trim(), jurisdiction: short, note: optionalField(z.string().trim()) }),
  async view({ member, filled, fault, query }) {
    const main = html`${parentLink('Watched companies', watchesPath)}<h1>Watch a company</h1>${renderFault(fault)}
<form class="form" method="post">${tokenField(member)}
${textField(filled, { name: 'code', label: 'Code in the register', required: true, otherwise: query.code ?? '', hint: 'For example, 12417834.' })}
${textField(filled, { name: 'jurisdiction', label: 'Country', otherwise: query.jurisdiction ?? '', hint: 'Optional. For example, ee or us-de.' })}
${textField(filled, { name: 'note', label: 'Note', hint: 'Optional. Webhooks contain the note.' })}
<p class="actions"><button class="primary">Watch company</button> <a class="button plain" href="${watchesPath}">Cancel</a></p></form>`
    return { title: 'Watch a company', main }
  },
  async submit({ ask: call, given }) {
    await call(create, { body: given }, z.unknown())
    return { to: watchesPath, told: 'Company watched.' }
  },
})

export const unwatch = action({
  path: '/registry/watches/{id}/remove',
  summary: 'Stop watching a company',
  permission: 'areas:write',
  params: z.object({ id: pathId('watch') }),
  back: () => watchesPath,
  async perform({ ask: call, params }) {
    await call(remove, { params }, z.unknown())
    return { to: watchesPath, told: 'Company no longer watched.' }
  },
})
