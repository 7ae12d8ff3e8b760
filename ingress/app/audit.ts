import { z } from 'zod'
import { Day } from '#lib/input-types.ts'
import * as audit from '#sql/account/audit.ts'
import * as keys from '#sql/account/keys.ts'
import * as members from '#sql/account/people/members.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import type { DashboardSection } from '../http/dashboard/contents.ts'
import { page } from '../http/dashboard/page.ts'
import { dataTable } from '../http/html/data-table.ts'
import { type Filter, filterForm } from '../http/html/filter-form.ts'
import { optionalField } from '../http/html/form.ts'
import { ago, formatInstant } from '../http/html/format.ts'
import { type Html, html, quiet } from '../http/html/html.ts'
import { olderLink } from '../http/html/paging.ts'
import { emptyState, linkButton, shortId } from '../http/html/parts.ts'
import { actionWords, knownActions, nameOf, pageOf, valueWords } from './audit-words.ts'

export const log = {
  title: 'Audit log',
  path: '/app/audit',
  group: 'Organisation',
  guide: 'dashboard',
  permission: 'audit:own',
} as const satisfies DashboardSection

const perPage = 50

const Position = z.coerce.number().int().positive()

const dayMs = 86_400_000

export const overview = page({
  path: '/audit',
  summary: 'Show the audit log',
  section: log,
  permission: 'audit:own',
  query: z.object({
    action: optionalField(z.string().trim().max(100)),
    actor: optionalField(z.string().max(100)),
    since: optionalField(Day),
    until: optionalField(Day),
    before: Position.optional(),
  }),
  async view({ db, member, may, query: { before, ...given } }) {
    const all = may('audit:read')
    const { action, since, until } = given
    const actor = all ? given.actor : member.userId
    const where = whereOf(audit.filters, { action, actor, since: since && `${since}T00:00:00Z` })
    const end = until && new Date(Date.parse(until) + dayMs).toISOString()
    const found = await audit.list(db, member.orgId, { where, before, until: end, limit: perPage + 1 })
    const shown = found.slice(0, perPage)
    const last = found.length > perPage ? shown.at(-1) : undefined
    const filtered = Object.values(given).some((value) => value !== undefined)
    const main = html`<h1>Audit log</h1>
<p class="lead">${all ? html`Who changed what in this organisation, newest first. A hash chain protects the entries. The API exports them, and <code>millrace audit check</code> verifies an export.` : 'Your own actions, newest first.'}</p>
${filterForm(await filtersFor(db, member.orgId, given.action, all), given, { button: 'Filter entries' })}
${shown.length === 0 ? emptyState(filtered ? 'No entries match these filters.' : 'Actions by members, API keys and operators appear here.', filtered ? 'Clear a filter to see more entries.' : undefined, filtered && linkButton(log.path, 'Clear filters')) : entryTable(shown)}
${last ? olderLink(log.path, { ...given, before: last.number }) : before !== undefined && html`<nav class="pager" aria-label="Pages" data-cursor="before" hidden></nav>`}`
    return { title: 'Audit log', main }
  },
})

const mostActors = 200

/** The filters of the log. Members who see only their own actions cannot select an actor. */
async function filtersFor(
  db: DatabasePool,
  orgId: string,
  chosen: string | undefined,
  all: boolean,
): Promise<Filter[]> {
  const actions = chosen && !knownActions.includes(chosen) ? [...knownActions, chosen] : knownActions
  const people = all ? await members.list(db, orgId, { limit: mostActors, before: undefined }) : []
  const servers = all ? (await keys.list(db, orgId)).slice(0, mostActors) : []
  return [
    { name: 'action', label: 'Action', options: actions.map((one) => [one, `${actionWords(one)} (${one})`] as const) },
    ...(all
      ? [
          {
            name: 'actor',
            label: 'Actor',
            options: [
              ...people.map(({ user_id, email }) => [user_id, email] as const),
              ...servers.map(({ id, name }) => [id, `${name} (API key)`] as const),
            ],
          },
        ]
      : []),
    { name: 'since', label: 'From (UTC)', type: 'date' },
    { name: 'until', label: 'To (UTC)', type: 'date' },
  ]
}

const entryTable = (shown: readonly audit.Entry[]): Html =>
  dataTable({ caption: 'Audit log entries', key: ({ id }) => id }, shown, {
    What: ['break audit-what', (one) => what(one)],
    Who: ['break', (one) => html`${one.actor_name} ${quiet(actorKinds[one.actor_kind])}`],
    When: (one) => ago(one.created_at),
    From: (one) => one.network ?? quiet('–'),
    Details: ['wide', (one) => details(one)],
  })

const actorKinds: Record<audit.Entry['actor_kind'], string> = {
  key: 'API key',
  user: 'member',
  operator: 'operator',
  system: 'Millrace',
}

function what(one: audit.Entry): Html {
  const name = nameOf(one) ?? (one.action === 'contents.read' ? kindOf(one) : undefined)
  const path = pageOf(one)
  const target = name && (path ? html`<a href="${path}">${name}</a>` : html`<strong>${name}</strong>`)
  return html`${actionWords(one.action)}${target && html` ${target}`}`
}

/** Returns what kind of item was viewed. Its name is part of the contents, so the log does not have it. */
const kindOf = ({ after }: audit.Entry): string | undefined =>
  typeof after?.kind === 'string' ? after.kind.replaceAll('_', ' ') : undefined

function details(one: audit.Entry): Html {
  const { before, after } = one
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])]
  const moved = names.filter((name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name]))
  return html`<details class="audit-more"><summary>${moved.length > 0 ? `${moved.length} ${moved.length === 1 ? 'value' : 'values'}` : 'Entry'}<span class="unseen"> of entry ${one.number}</span></summary>
<dl>${moved.map((name) => html`<div><dt>${name.replaceAll('_', ' ')}</dt><dd>${before !== null && html`<del>${valueWords(before[name])}</del> `}${after !== null && html`<ins>${valueWords(after[name])}</ins>`}</dd></div>`)}
<div><dt>Entry</dt><dd>${one.number}, <code>${one.action}</code></dd></div>
<div><dt>Time</dt><dd>${formatInstant(one.created_at)} UTC</dd></div>
${one.target && html`<div><dt>Target</dt><dd>${shortId(one.target, { of: 'target' })}</dd></div>`}
${one.request_id && html`<div><dt>Request</dt><dd>${shortId(one.request_id, { of: 'request ID' })}</dd></div>`}</dl></details>`
}
