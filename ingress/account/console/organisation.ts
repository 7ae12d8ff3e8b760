import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as closures from '#sql/account/closures.ts'
import { listKeys } from '#sql/account/keys/customer-keys.ts'
import * as orgs from '#sql/account/orgs.ts'
import * as members from '#sql/account/people/members.ts'
import * as grants from '#sql/account/people/support-grants.ts'
import { findForOrganisation, limitNames, limits, type Plan, uncountedRequests } from '#sql/account/plans.ts'
import { byOperation } from '#sql/account/usage/customer-requests.ts'
import { countWaiting } from '#sql/jobs/backlogs.ts'
import { listStandings, type Standing } from '#tasks/account/rules/standing.ts'
import { confirmLink } from '../../http/console/buttons.ts'
import { page } from '../../http/console/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { ago, amountOf, count, formatInstant } from '../../http/html/format.ts'
import { type Content, type Html, html, queryString, quiet } from '../../http/html/html.ts'
import { renderTiles } from '../../http/html/tiles.ts'
import { mustFind } from '../../http/must-find.ts'
import { keyTable } from './key-table.ts'
import { shareBar } from './parts.ts'
import { operationsTable, since } from './request-tables.ts'
import { sections } from './sections.ts'

const mostKeys = 100
const mostOperations = 30

export const show = page({
  path: '/organisations/{orgId}',
  summary: 'Show an organisation',
  section: sections.organisations,
  params: z.object({ orgId: Id }),
  async view({ db, params: { orgId } }) {
    const org = await mustFind(orgs.find(db, orgId), 'organisation')
    const plan = await findForOrganisation(db, orgId)
    const [keys, roles, used, operations, waiting, [grant], closure] = await Promise.all([
      listKeys(db, { state: 'good', org: orgId, limit: mostKeys }),
      members.countByRole(db, orgId),
      listStandings(db, orgId, plan),
      byOperation(db, { since: since('24h'), orgId, limit: mostOperations }),
      countWaiting(db, orgId),
      grants.listRunning(db, orgId),
      closures.find(db, orgId),
    ])
    const main = html`<p class="trail"><a href="/ops/organisations">Organisations</a></p>
${closure && ['waiting', 'running'].includes(closure.state) && html`<p class="notice">This organisation is being closed. Deletion of its data starts on ${formatInstant(closure.due_at)} UTC.</p>`}
${grant && html`<p class="notice">An owner allows operators to read metadata until ${formatInstant(grant.expires_at)} UTC: ${grant.reason}</p>`}
<div class="title"><h1>${org.name} <span class="id">${org.id}</span></h1>
<p class="actions">${confirmLink('set-plan', { org: org.id }, 'Set plan', `of ${org.name}`)}</p></div>
${overviewOf({ org, roles, used, keys: keys.length })}
<section aria-labelledby="usage"><div class="title"><h2 id="usage">Usage in this period</h2><a href="/ops/usage">Usage of all organisations</a></div>${usageTable(used)}</section>
<section aria-labelledby="keys"><div class="title"><h2 id="keys">API keys</h2><a href="/ops/keys${queryString({ org: org.id, state: 'ended' })}">Revoked and expired API keys</a></div>
${keys.length === 0 ? html`<p class="empty">This organisation has no active API keys.</p>` : keyTable(keys, { caption: `API keys of ${org.name}`, of: false })}</section>
<section aria-labelledby="requests"><div class="title"><h2 id="requests">Requests in the last day</h2><a href="/ops/requests/${org.id}">Requests and request log</a></div>
${operations.length === 0 ? html`<p class="empty">No requests in the last day.</p>` : operationsTable(operations, 'Requests in the last day')}</section>
<div class="columns"><section aria-labelledby="waiting"><div class="title"><h2 id="waiting">Pending jobs</h2><a href="/ops/jobs${queryString({ org: org.id })}">All jobs</a></div>
${waitingTable(org.id, waiting, plan)}</section>
<section aria-labelledby="limits"><h2 id="limits">Limits of the ${org.plan} plan</h2>${limitTable(plan)}</section></div>`
    return { title: org.name, main }
  },
})

function overviewOf(facts: {
  org: orgs.Org
  roles: Awaited<ReturnType<typeof members.countByRole>>
  used: readonly Standing[]
  keys: number
}): Html {
  const { org, roles, used, keys } = facts
  const stored = used.find(({ metric }) => metric === 'storage.bytes')
  const people = members.Role.options.map((role) => [role, roles.find((one) => one.role === role)?.count ?? 0] as const)
  const all = people.reduce((sum, [, number]) => sum + number, 0)
  return renderTiles([
    ['Plan', org.plan],
    ['Created', ago(org.created_at)],
    ['API keys', count(keys)],
    ['Members', count(all)],
    ...people.flatMap(([role, number]) =>
      number > 0 ? [[`Members with the ${role} role`, count(number)] as const] : [],
    ),
    ['Storage', amountOf('bytes', stored?.used ?? 0)],
  ])
}

function usageTable(all: readonly Standing[]): Content {
  const told = all.filter(({ used, limit }) => used > 0 || limit !== null)
  return dataTable('Usage in this period and limits', told, {
    Metric: ['', (one) => html`<code>${one.metric}</code> <span class="quiet">${one.words}</span>`],
    Usage: ['number', (one) => amountOf(one.unit, one.used)],
    Limit: ['number', (one) => (one.limit === null ? quiet('–') : amountOf(one.unit, one.limit))],
    Share: (one) => shareBar(one.used, one.limit, `the limit of ${one.metric}`),
    Period: (one) => one.period,
  })
}

function waitingTable(orgId: string, waiting: Awaited<ReturnType<typeof countWaiting>>, plan: Plan): Html {
  if (waiting.length === 0) return html`<p class="empty">No pending jobs.</p>`
  return dataTable('Pending jobs by pool', waiting, {
    Pool: [
      '',
      (one) =>
        html`<a href="/ops/jobs${queryString({ org: orgId, pool: one.pool, state: 'waiting' })}">${one.pool}</a>`,
    ],
    Pending: ['number', (one) => count(one.waiting)],
    Share: (one) => shareBar(one.waiting, plan.waiting_jobs, `the limit of pending jobs in ${one.pool}`),
  })
}

function limitTable(plan: Plan): Html {
  return dataTable('Plan limits', limitNames, {
    Limit: (name) => limits[name].description,
    Maximum: ['number', (name) => maximumOf(plan, name)],
  })
}

function maximumOf(plan: Plan, name: (typeof limitNames)[number]): string {
  const { unit } = limits[name]
  return unit === 'requests' && plan[name] >= uncountedRequests ? 'not counted' : amountOf(unit, plan[name])
}
