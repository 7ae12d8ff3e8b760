import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { UserId } from '#lib/user-id.ts'
import type { Db } from '#sql/db.ts'
import { everything } from '#sql/filters.ts'
import * as events from '#sql/notify/events.ts'
import * as rows from '#sql/notify/run-steps.ts'
import * as runs from '#sql/notify/runs.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { action, page } from '../../http/dashboard/page.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html } from '../../http/html/html.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { actionButton, emptyState, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import * as operations from '../runs.ts'
import { renderRunState, renderRunTable } from './run-table.ts'
import { personPath, renderTabs, section, workflowPath } from './section.ts'
import { renderTrace } from './trace.ts'

export const overview = page({
  path: '/notify/runs',
  summary: 'List workflow runs',
  section,
  permission: 'log:read',
  query: z.object({ user: optionalField(UserId), before: Id.optional() }),
  async view({ db, member, region, query: { user, before } }) {
    const isLive = user === undefined && before === undefined
    const userId = user === undefined ? undefined : getPersonId(user)
    const found = await runs.list(db, member.orgId, { where: everything, userId, before, limit: perPage + 1 })
    const { shown, older } = cutPage(found)
    const table = shown.length === 0 ? emptyState('This person has no runs.') : renderRunTable(shown)
    const main = html`${renderTabs('Runs')}
${filterForm([{ name: 'user', label: 'Your ID for the person' }], { user }, { button: 'Find', ...(user !== undefined && { clear: '/app/notify/runs' }) })}
${isLive ? await region('notify-runs-all') : table}
${older('/app/notify/runs', { user })}`
    return { title: 'Runs', main }
  },
})

/** Shows the first page of the list of runs. */
export const firstRunsRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId) {
    const found = await runs.list(db, orgId, {
      where: everything,
      userId: undefined,
      before: undefined,
      limit: perPage,
    })
    return found.length === 0
      ? emptyState('No runs yet. A run starts when an event arrives for a published workflow.')
      : renderRunTable(found)
  },
}

export const one = page({
  path: '/notify/runs/{id}',
  summary: 'Show the trace of a run',
  section,
  permission: 'log:read',
  params: z.object({ id: pathId('run') }),
  async view({ db, member, may, region, params: { id } }) {
    const run = await mustFind(runs.find(db, member.orgId, id), 'run')
    const user = run.subject ?? run.user_id
    const cancel = run.state === 'waiting' && may('areas:write')
    const main = html`${parentLink('Runs', '/app/notify/runs')}<div class="title"><h1>Run of ${run.workflow}</h1>${cancel && actionButton(member, `/app/notify/runs/${id}/cancel`, 'Cancel', { of: 'run', grave: true })}</div>
<dl class="facts"><div><dt>Person</dt><dd class="break"><a href="${personPath(user)}">${user}</a></dd></div>
<div><dt>Workflow</dt><dd><a href="${workflowPath(run.workflow)}">${run.workflow}</a>, version ${run.version}</dd></div>
<div><dt>Event</dt><dd class="break">${run.product_key} <code>${run.type}</code></dd></div>
<div><dt>Started</dt><dd>${ago(run.created_at)}</dd></div></dl>
<section><h2>Trace</h2>${await region(`notify-run/${id}`)}</section>
${may('contents:read') && (await contentOf(db, member.orgId, run.event_id))}`
    return { title: `Run of ${run.workflow}`, main }
  },
})

/** Shows the state and the steps of the run whose ID follows the name of the region. */
export const runRegion: OrgRegion = {
  everyMs: 1_000,
  permission: 'log:read',
  async read(db, orgId, [id]) {
    const run = Id.safeParse(id).success ? await runs.find(db, orgId, id as string) : null
    if (!run) return null
    const [version] = await versions.findMany(db, [run])
    const traced = await rows.listOf(db, [run.id])
    const open = run.state === 'waiting' ? 'not started' : 'not reached'
    return html`<p class="run-state">${renderRunState(run)}</p>
${renderTrace({ trigger: run, steps: version?.steps ?? [], traced, open })}
${!version && emptyState('The workflow was deleted, so its steps are not shown.')}`
  },
}

async function contentOf(db: Db, orgId: string, eventId: string): Promise<Html | false> {
  const event = await events.find(db, orgId, eventId)
  if (!event) return false
  const { title, body, url, data } = event
  return html`<section><h2>Event</h2><dl class="facts"><div><dt>Title</dt><dd>${title}</dd></div>
${body !== null && html`<div><dt>Body</dt><dd>${body}</dd></div>`}${url !== null && html`<div><dt>URL</dt><dd>${url}</dd></div>`}</dl>
${Object.keys(data).length > 0 && html`<pre tabindex="0" aria-label="Data">${JSON.stringify(data, null, 2)}</pre>`}</section>`
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
