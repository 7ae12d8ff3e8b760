import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/automation/runs.ts'
import { whereOf } from '#sql/filters.ts'
import * as events from '#sql/webhooks/events.ts'
import { recordContentsRead } from '#tasks/account/rules/contents-read.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { findById } from '../../http/dashboard/finders.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, copyable, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import * as operations from '../runs.ts'
import { resultLink, runTable } from './run-table.ts'
import { rulePath, runPath, runsPath, section } from './section.ts'

const Status = rows.Run.shape.status

export const list = page({
  path: '/automation/runs',
  summary: 'List runs of rules',
  section,
  permission: 'log:read',
  query: z.object({ status: optionalField(Status), before: Id.optional() }),
  async view({ db, member, region, query: { status, before } }) {
    const found = await rows.list(db, member.orgId, {
      where: whereOf(rows.filters, { status }),
      ...{ before, limit: perPage + 1 },
    })
    const { shown, older } = cutPage(found)
    const isLive = status === undefined && before === undefined
    const table = shown.length === 0 ? emptyState('No runs match these filters.') : runTable(shown)
    const main = html`${parentLink('Automation', section.path)}<h1>Runs</h1>
${filterForm([{ name: 'status', label: 'Status', options: Status.options.map((one) => [one, one.replaceAll('_', ' ')] as const) }], { status }, { button: 'Filter runs' })}
${isLive ? await region('automation-runs') : table}${older(runsPath, { status })}`
    return { title: 'Runs of rules', main }
  },
})

/** Shows the latest runs of the organisation, or of the rule whose ID follows the name of the region. */
export const runsRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given]) {
    const id = Id.safeParse(given)
    if (given !== undefined && !id.success) return null
    const where = whereOf(rows.filters, { rule_id: id.data })
    const found = await rows.list(db, orgId, { where, before: undefined, limit: id.success ? 20 : perPage })
    return found.length === 0
      ? emptyState('Runs appear here.', 'Each event that matches a rule starts a run.')
      : runTable(found, { withRule: !id.success })
  },
}

export const one = page({
  path: '/automation/runs/{run_id}',
  summary: 'Show a run of a rule',
  section,
  permission: 'log:read',
  params: z.object({ run_id: pathId('run') }),
  async view({ db, member, may, doer, region, params: { run_id: id } }) {
    const run = await mustFind(rows.find(db, member.orgId, id), 'run')
    const event = may('contents:read') ? await events.find(db, member.orgId, run.event_id) : null
    if (event) await recordContentsRead(db, doer, { kind: 'event', id: event.id })
    const main = html`${parentLink('Runs', runsPath)}<h1>Run of ${run.rule_name}</h1>
${await region(`automation-run/${id}`)}
${may('areas:write') && run.status !== 'done' && html`<section><h2>Actions</h2><p class="lead">You can retry failed and limited runs. The action is performed in its current form.</p>${actionButton(member, `${runPath(id)}/retry`, 'Retry run')}</section>`}
${event && html`<section><h2>Event data</h2><pre tabindex="0" aria-label="Event data">${JSON.stringify(event.data, null, 2)}</pre></section>`}`
    return { title: `Run of ${run.rule_name}`, main }
  },
})

export const finders = [findById('Run of a rule', runsPath, rows.find, { permission: 'log:read' })]

/** Shows the state of the run whose ID follows the name of the region. */
export const runRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given = '']) {
    const run = Id.safeParse(given).success ? await rows.find(db, orgId, given) : null
    if (!run) return null
    return html`${run.error_message && html`<div class="fault"><p><b>${run.error_message}</b></p><p class="quiet">code ${run.error_code}</p></div>`}
<dl class="facts"><div><dt>Status</dt><dd>${statusBadge(run.status)}</dd></div>
<div><dt>Rule</dt><dd><a href="${rulePath(run.rule_id)}">${run.rule_name}</a></dd></div>
<div><dt>Event</dt><dd class="break"><code>${run.event_type}</code> ${copyable(run.event_id, 'the event ID')}</dd></div>
<div><dt>Result</dt><dd>${resultLink(run) ?? quiet('none')}</dd></div>
<div><dt>Rules that led to the event</dt><dd>${run.depth}</dd></div>
<div><dt>Retries</dt><dd>${run.retries}</dd></div>
<div><dt>Started</dt><dd>${ago(run.created_at)}</dd></div>
<div><dt>Ended</dt><dd>${run.ended_at ? ago(run.ended_at) : quiet('not yet')}</dd></div></dl>`
  },
}

export const retry = action({
  path: '/automation/runs/{run_id}/retry',
  summary: 'Retry a run of a rule',
  permission: 'areas:write',
  params: z.object({ run_id: pathId('run') }),
  back: ({ run_id }) => runPath(run_id),
  async perform({ ask, params: { run_id: id } }) {
    await ask(operations.retry, { params: { id } }, z.unknown())
    return { to: runPath(id), told: 'Run retried.' }
  },
})
