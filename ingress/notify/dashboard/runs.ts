import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { everything } from '#sql/filters.ts'
import * as trace from '#sql/notify/run-steps.ts'
import * as runs from '#sql/notify/runs.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago, formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { UserId } from '../fields.ts'
import * as operations from '../runs.ts'
import { renderRunState, renderRunTable } from './run-table.ts'
import { section } from './workflows.ts'

export const overview = page({
  path: '/notify/runs',
  summary: 'List workflow runs',
  section,
  permission: 'log:read',
  query: z.object({ user: optionalField(UserId), before: Id.optional() }),
  async view({ db, member, query: { user, before } }) {
    const userId = user === undefined ? undefined : getPersonId(user)
    const found = await runs.list(db, member.orgId, { where: everything, userId, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const main = html`${parentLink('Notifications', section.path)}<h1>Runs</h1>
${filterForm([{ name: 'user', label: 'Your ID for the person' }], { user }, { button: 'Find' })}
${shown.length === 0 ? emptyState(user === undefined ? 'No runs yet. A run starts when an event arrives for a published workflow.' : 'This person has no runs.') : renderRunTable(shown)}
${older('/app/notify/runs', { user })}`
    return { title: 'Runs', main }
  },
})

export const one = page({
  path: '/notify/runs/{id}',
  summary: 'Show the trace of a run',
  section,
  permission: 'log:read',
  params: z.object({ id: pathId('run') }),
  async view({ db, member, may, params: { id } }) {
    const run = await mustFind(runs.find(db, member.orgId, id), 'run')
    const steps = await trace.listOf(db, [id])
    const cancel = run.state === 'waiting' && may('areas:write')
    const main = html`${parentLink('Runs', '/app/notify/runs')}<div class="title"><h1>Run of ${run.workflow}</h1>${cancel && actionButton(member, `/app/notify/runs/${id}/cancel`, 'Cancel', { grave: true })}</div>
<dl class="facts"><div><dt>Person</dt><dd class="break">${run.subject ?? run.user_id}</dd></div>
<div><dt>Workflow</dt><dd><a href="/app/notify/workflows/${run.workflow}">${run.workflow}</a>, version ${run.version}</dd></div>
<div><dt>Event</dt><dd class="break">${run.product_key} <code>${run.type}</code></dd></div>
<div><dt>State</dt><dd>${renderRunState(run)}</dd></div><div><dt>Started</dt><dd>${ago(run.created_at)}</dd></div></dl>
<section><h2>Trace</h2>
${steps.length === 0 ? emptyState('No steps yet.') : stepTable(steps)}</section>`
    return { title: `Run of ${run.workflow}`, main }
  },
})

const stepTable = (steps: readonly trace.RunStep[]): Html =>
  dataTable('Steps', steps, {
    Step: ['', (step) => html`${step.number + 1}. ${step.channel ?? step.type}`],
    Result: ['break', (step) => stateOf(step)],
    Message: ['break', (step) => messageOf(step)],
    'Time (UTC)': (step) => formatInstant(step.at),
  })

function stateOf({ state, reason, detail, due_at, text_locale, text_version }: trace.RunStep): Html {
  return html`${statusBadge(state)}${reason && html` ${reason}`}${detail && html` <span class="quiet">${detail}</span>`}
${state === 'waiting' && html` <span class="quiet">ends ${ago(due_at)}</span>`}${text_locale && html` <span class="quiet">text ${text_locale}, version ${text_version ?? ''}</span>`}`
}

function messageOf({ channel, message_id }: trace.RunStep): Html {
  if (message_id === null) return quiet('–')
  return channel === 'email'
    ? html`<a href="/app/mail/${message_id}"><code>${message_id.slice(-12)}</code></a>`
    : html`<code>${message_id.slice(-12)}</code>`
}

export const cancel = action({
  path: '/notify/runs/{id}/cancel',
  summary: 'Cancel a run',
  permission: 'areas:write',
  params: z.object({ id: pathId('run') }),
  back: ({ id }) => `/app/notify/runs/${id}`,
  async perform({ ask, params }) {
    await ask(operations.cancel, { params }, z.object({}))
    return { to: `/app/notify/runs/${params.id}`, told: 'Run cancelled.' }
  },
})
