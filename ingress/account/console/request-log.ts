import { z } from 'zod'
import { getIdTime, Id } from '#lib/ids.ts'
import * as keys from '#sql/account/keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as grants from '#sql/account/people/support-grants.ts'
import * as customers from '#sql/account/usage/customer-requests.ts'
import * as log from '#sql/account/usage/requests.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import { recordSupportRead } from '#tasks/account/rules/support.ts'
import { page } from '../../http/console/page.ts'
import type { Operator } from '../../http/console/session.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { type Filter, filterForm } from '../../http/html/filter-form.ts'
import { ago, count, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html } from '../../http/html/html.ts'
import { cutPage } from '../../http/html/paging.ts'
import { mustFind } from '../../http/must-find.ts'
import { orgLink } from './parts.ts'
import { operationsTable, Span, since, spanLinks } from './request-tables.ts'
import { sections } from './sections.ts'

const perPage = 100
const mostOperations = 100

const statusFilter: Filter = {
  name: 'class',
  label: 'Status',
  any: 'all',
  options: [
    ['4', 'rejected (4xx)'],
    ['5', 'failed (5xx)'],
  ],
}

interface Wanted {
  class?: '4' | '5' | undefined
  before?: string | undefined
}

export const show = page({
  path: '/requests/{orgId}',
  summary: 'List requests of an organisation',
  section: sections.requests,
  params: z.object({ orgId: Id }),
  query: z.object({
    span: Span,
    class: z.enum(['4', '5']).optional().catch(undefined),
    before: Id.optional(),
  }),
  async view({ db, operator, params: { orgId }, query: { span, ...wanted } }) {
    const org = await mustFind(orgs.find(db, orgId), 'organisation')
    const [operations, [grant]] = await Promise.all([
      customers.byOperation(db, { since: since(span), orgId, limit: mostOperations }),
      grants.listRunning(db, orgId),
    ])
    const path = `/ops/requests/${orgId}`
    const main = html`<p class="trail"><a href="/ops/requests">Requests</a> from ${orgLink(org.id, org.name)}</p>
<div class="title"><h1>Requests from ${org.name}</h1>${spanLinks(path, span, { class: wanted.class })}</div>
<section aria-labelledby="operations"><h2 id="operations">By operation</h2>
${operations.length === 0 ? html`<p class="empty">No requests in the last ${span}.</p>` : operationsTable(operations, 'Requests by operation')}</section>
<section aria-labelledby="log"><h2 id="log">Log</h2>
${grant ? await logOf(db, { operator, orgId, grant, wanted, span }) : noGrant}</section>`
    return { title: `Requests from ${org.name}`, main }
  },
})

const noGrant = html`<p class="empty">No owner of this organisation allows operators to read its request log. Only counts are visible. An owner can allow access in the dashboard, for a limited time and with a reason. The audit log records each view.</p>`

/** Reads the log and records the view in one transaction. So every view has an audit entry. */
async function logOf(
  db: DatabasePool,
  call: { operator: Operator; orgId: string; grant: grants.Grant; wanted: Wanted; span: string },
): Promise<Content> {
  const { operator, orgId, grant, wanted, span } = call
  const actor = { kind: 'operator', id: operator.key_id, name: operator.key_name } as const
  const digit = wanted.class === undefined ? undefined : Number(wanted.class)
  const where = whereOf(log.filters, { class: digit })
  const { found, names } = await db.transaction(async (tx) => {
    const found = await log.list(tx, orgId, { where, before: wanted.before, limit: perPage + 1 })
    const names = new Map((await keys.list(tx, orgId)).map(({ id, name }) => [id, name]))
    await recordSupportRead(tx, actor, { orgId, what: 'requests' })
    return { found, names }
  })
  const { shown, older } = cutPage(found, perPage)
  const path = `/ops/requests/${orgId}`
  return html`<p class="notice">An owner allows operators to read metadata until ${formatInstant(grant.expires_at)} UTC: ${grant.reason}. The audit log of the organisation records this view.</p>
${filterForm([statusFilter], { class: wanted.class }, { button: 'Show requests', hidden: { span } })}
<p class="lead">This log contains errors and a sample of other requests. Requests rejected by a limit (429) are only counted.</p>
${shown.length === 0 ? html`<p class="empty">No requests match these filters.</p>` : logTable(shown, names)}
${older(path, { span, class: wanted.class })}`
}

const logTable = (shown: readonly log.Request[], names: ReadonlyMap<string, string>): Html =>
  dataTable('Requests, newest first', shown, {
    Operation: (one) => html`<code>${one.operation}</code><br><span class="id">${one.id}</span>`,
    Status: ['number', (one) => (one.status > 499 ? html`<span class="bad">${one.status}</span>` : one.status)],
    'Code and fields': [
      'error',
      (one) =>
        html`${one.code} ${one.error && one.error.fields.length > 0 && html`<code>${one.error.fields.join(', ')}</code>`}`,
    ],
    'API key': ['break', (one) => names.get(one.key_id) ?? one.key_id],
    Duration: ['number', (one) => html`${count(Math.round(one.ms))} ms`],
    Network: (one) => html`${one.network}${one.sdk && html`<br><span class="quiet">${one.sdk}</span>`}`,
    Time: (one) => ago(new Date(getIdTime(one.id))),
  })
