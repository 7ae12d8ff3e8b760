import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as flowJobs from '#sql/work/flow-jobs.ts'
import * as flows from '#sql/work/flows.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { findById } from '../../http/dashboard/finders.ts'
import { action, page } from '../../http/dashboard/page.ts'
import type { Member } from '../../http/dashboard/session.ts'
import { formatInstant } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { actionButton, copyable, parentLink } from '../../http/html/parts.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import * as routes from '../flows.ts'
import { renderGraph } from './flow-graph.ts'
import { flowsSection as section } from './section.ts'

const params = z.object({ flow_id: pathId('flow') })

const place = (id: string): string => `${section.path}/${id}`

export const readFlow = page({
  path: '/jobs/flows/{flow_id}',
  summary: 'Show a flow and its jobs',
  section,
  permission: 'log:read',
  params,
  async view({ db, member, may, region, params: { flow_id: id } }) {
    const found = await mustFind(flows.find(db, member.orgId, id), 'flow')
    const title = found.name ?? `Flow of ${found.job_count} jobs`
    const main = html`${parentLink('Flows', section.path)}<h1>${title}</h1>
${may('areas:write') && buttons(found, member)}
${await region(`flow/${id}`)}`
    return { title, main }
  },
})

/** The buttons do not change with the state, because the API rejects what a state does not allow. */
const buttons = ({ id, state }: flows.Flow, member: Member): Html =>
  html`<div class="actions">${state === 'running' && actionButton(member, `${place(id)}/cancel`, 'Cancel flow')}
${state !== 'completed' && actionButton(member, `${place(id)}/replay`, 'Replay failed jobs')}</div>`

export const finders = [findById('Flow', section.path, flows.find, { permission: 'log:read', name: 'name' })]

export const flowRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  async read(db, orgId, [given]) {
    const id = Id.safeParse(given)
    const found = id.success ? await flows.find(db, orgId, id.data) : null
    return found && (await renderFlow(db, found))
  },
}

async function renderFlow(db: DatabasePool, one: flows.Flow): Promise<Html> {
  const jobs = await flowJobs.listDetailed(db, one.id)
  return html`<dl class="facts"><div><dt>Status</dt><dd>${statusBadge(one.state)}</dd></div>
<div><dt>Jobs</dt><dd>${one.job_count}</dd></div>
<div><dt>Created</dt><dd>${formatInstant(one.created_at)} UTC</dd></div>
<div><dt>Ended</dt><dd>${one.ended_at ? `${formatInstant(one.ended_at)} UTC` : quiet('not yet')}</dd></div>
<div><dt>Flow</dt><dd>${copyable(one.id, 'the flow ID')}</dd></div></dl>
${renderGraph(jobs)}`
}

const shared = {
  permission: 'areas:write',
  params,
  back: ({ flow_id }: { flow_id: string }) => place(flow_id),
} as const

export const cancelFlow = action({
  ...shared,
  path: '/jobs/flows/{flow_id}/cancel',
  summary: 'Cancel a flow',
  async perform({ ask, params: { flow_id: id } }) {
    await ask(routes.cancel, { params: { id } }, z.unknown())
    return { to: place(id), told: 'Flow cancelled. Running jobs are being aborted.' }
  },
})

export const replayFlow = action({
  ...shared,
  path: '/jobs/flows/{flow_id}/replay',
  summary: 'Replay the failed jobs of a flow',
  async perform({ ask, params: { flow_id: id } }) {
    await ask(routes.replay, { params: { id } }, z.unknown())
    return { to: place(id), told: 'The failed jobs start again. Then the flow continues.' }
  },
})
