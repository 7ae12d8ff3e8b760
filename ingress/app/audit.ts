import { z } from 'zod'
import * as audit from '#sql/account/audit.ts'
import { whereOf } from '#sql/filters.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { page } from '../http/dashboard/page.ts'
import { dataTable } from '../http/html/data-table.ts'
import { filterForm } from '../http/html/filter-form.ts'
import { ago } from '../http/html/format.ts'
import { type Html, html } from '../http/html/html.ts'
import { olderLink } from '../http/html/paging.ts'
import { emptyState } from '../http/html/parts.ts'

export const log = {
  title: 'Audit log',
  path: '/app/audit',
  group: 'Organisation',
  guide: 'dashboard',
  permission: 'audit:own',
} as const satisfies DashboardSection

const perPage = 100

const Position = z.coerce.number().int().positive()

export const overview = page({
  path: '/audit',
  summary: 'Show the audit log',
  section: log,
  permission: 'audit:own',
  query: z.object({ action: z.string().max(100).optional(), before: Position.optional() }),
  async view({ db, member, may, query }) {
    const action = query.action?.trim() || undefined
    const actor = may('audit:read') ? undefined : member.userId
    const where = whereOf(audit.filters, { action, actor })
    const found = await audit.list(db, member.orgId, { where, before: query.before, limit: perPage + 1 })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const main = html`<h1>Audit log</h1>
<p class="lead">${actor ? 'Your own actions, newest first.' : html`Actions in this organisation, newest first. A hash chain protects the entries. The API exports them, and <code>millrace audit check</code> verifies an export.`}</p>
${filterForm([{ name: 'action', label: 'For example, key.created' }], { action }, { button: 'Filter entries' })}
${shown.length === 0 ? emptyState('Actions by members, API keys and operators appear here.') : entryTable(shown)}
${last && olderLink('/app/audit', { action, before: last.number })}`
    return { title: 'Audit log', main }
  },
})

const entryTable = (shown: readonly audit.Entry[]): Html =>
  dataTable('Audit log entries', shown, {
    'No.': ['number', (one) => one.number],
    Time: (one) => ago(one.created_at),
    Actor: ['break', (one) => html`${one.actor_name} <span class="quiet">${one.actor_kind}</span>`],
    Action: (one) => one.action,
    Target: ['break id', (one) => one.target ?? '–'],
    Change: ['break wide', (one) => change(one)],
    Network: (one) => one.network ?? '–',
  })

function change({ before, after }: audit.Entry): Html {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const moved = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]))
  return html`${moved.map((name) => {
    const [from, to] = [before?.[name], after?.[name]].map(said)
    return html`<span class="change">${name} ${from !== '' && html`<del>${from}</del> `}${to !== '' && html`<ins>${to}</ins>`}</span> `
  })}`
}

const said = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
