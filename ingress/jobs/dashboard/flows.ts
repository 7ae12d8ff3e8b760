import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { whereOf } from '#sql/filters.ts'
import * as flowJobs from '#sql/work/flow-jobs.ts'
import * as flows from '#sql/work/flows.ts'
import type { OrgRegion } from '../../http/dashboard/contents.ts'
import { page } from '../../http/dashboard/page.ts'
import { apiCall } from '../../http/html/api-call.ts'
import { dataTable } from '../../http/html/data-table.ts'
import { filterForm } from '../../http/html/filter-form.ts'
import { optionalField } from '../../http/html/form.ts'
import { ago } from '../../http/html/format.ts'
import { type Html, html, quiet } from '../../http/html/html.ts'
import { statusBadge } from '../../http/html/marks.ts'
import { cutPage, perPage } from '../../http/html/paging.ts'
import { emptyState } from '../../http/html/parts.ts'
import { flowsSection as section } from './section.ts'

const State = flows.table.Row.shape.state

const sample = {
  name: 'order-1042',
  jobs: [
    { name: 'charge', url: 'https://shop.example/jobs/charge' },
    { name: 'ship', url: 'https://shop.example/jobs/ship', after: ['charge'] },
  ],
}

export const listFlows = page({
  path: '/jobs/flows',
  summary: 'List flows of jobs',
  section,
  permission: 'log:read',
  query: z.object({ state: optionalField(State), before: Id.optional() }),
  async view({ db, member, region, services, query: { state, before } }) {
    const list = before ? await renderFlows(db, member.orgId, { state, before }) : await region(`flows/${state ?? ''}`)
    const main = html`<h1>Flows</h1><p class="lead">A flow contains jobs that start after other jobs. Your server creates flows with the API.</p>
${filterForm([{ name: 'state', label: 'Status', options: State.options }], { state }, { button: 'Filter flows' })}
${list}
${apiCall(services, 'jobs.flows.create', { body: sample })}`
    return { title: 'Flows', main }
  },
})

export const flowsRegion: OrgRegion = {
  everyMs: 2_000,
  permission: 'log:read',
  read: (db, orgId, [state]) => renderFlows(db, orgId, { state: State.safeParse(state).data, before: undefined }),
}

interface Asked {
  state: flows.Flow['state'] | undefined
  before: string | undefined
}

async function renderFlows(db: DatabasePool, orgId: string, { state, before }: Asked): Promise<Html> {
  const found = await flows.list(db, orgId, { where: whereOf(flows.filters, { state }), before, limit: perPage + 1 })
  const { shown, older } = cutPage(found)
  if (shown.length === 0)
    return state
      ? emptyState('No flows match these filters.')
      : emptyState('Your flows appear here.', 'Start with the call below.')
  const counts = await flowJobs.countStates(
    db,
    shown.map(({ id }) => id),
  )
  return html`${flowTable(shown, counts)}${older(section.path, { state })}`
}

type Counts = Awaited<ReturnType<typeof flowJobs.countStates>>

const flowTable = (shown: readonly flows.Flow[], counts: Counts): Html =>
  dataTable({ caption: 'Flows', key: ({ id }) => id }, shown, {
    Flow: (one) => html`<a href="${section.path}/${one.id}">${one.name ?? `Flow of ${one.job_count} jobs`}</a>`,
    Status: ({ state }) => statusBadge(state),
    Jobs: ['break', (one) => countsOf(counts.filter(({ flow_id }) => flow_id === one.id))],
    Created: (one) => ago(one.created_at),
    Ended: (one) => (one.ended_at ? ago(one.ended_at) : quiet('not yet')),
  })

const countsOf = (counts: Counts): string =>
  counts.map(({ state, count }) => `${count} ${stateWords(state)}`).join(', ')

/** In a flow, an open job can start, or runs. */
const stateWords = (state: string): string => (state === 'open' ? 'started' : state)
