import { z } from 'zod'
import type { Db } from '#sql/db.ts'
import * as flowJobs from '#sql/work/flow-jobs.ts'
import * as rows from '#sql/work/flows.ts'
import { call } from '#tasks/work/call.ts'
import { cancelFlow } from '#tasks/work/rules/flows/cancel-flow.ts'
import { createFlow } from '#tasks/work/rules/flows/create-flow.ts'
import { replayFlow } from '#tasks/work/rules/flows/replay-flow.ts'
import { demandJobUrls } from '#tasks/work/rules/job-urls.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { FlowForm, FlowName, mostFlowJobs, toFlowJob } from './flow-fields.ts'
import { Flow, FlowItem, presentFlow, presentWholeFlow } from './flow-view.ts'

const params = z.object({ id: pathId('flow') })

const nothingToReplay = problem(
  409,
  'nothing_to_replay',
  'No job of the flow has failed, or been cancelled or skipped.',
)

export const create = route({
  method: 'POST',
  path: '/flows',
  summary: 'Create a flow of jobs',
  description: `Creates up to ${mostFlowJobs} jobs. A job with \`after\` starts when all jobs that it names have ended.`,
  scope: 'jobs:write',
  idempotent: true,
  enqueues: call,
  body: FlowForm,
  example: {
    body: {
      name: 'order-17',
      jobs: [
        { name: 'charge', url: 'https://example.com/jobs/charge' },
        { name: 'pack', url: 'https://example.com/jobs/pack', after: ['charge'] },
        { name: 'invoice', url: 'https://example.com/jobs/invoice', after: ['charge'] },
        { name: 'ship', url: 'https://example.com/jobs/ship', after: ['pack', 'invoice'], with_results: true },
      ],
    },
  },
  status: 201,
  reply: Flow,
  async handle({ body: { name = null, jobs }, org, db }) {
    const urls = jobs.map(({ url }, i) => ({ url, field: `body.jobs.${i}.url` }))
    await demandJobUrls(db, org.id, urls)
    const flow = await createFlow(db, org.id, { name, jobs: jobs.map(toFlowJob) })
    return await readWhole(db, flow)
  },
})

export const list = listRoute({
  path: '/flows',
  summary: 'List flows, newest first',
  description: 'Returns flows with the number of their jobs in each state.',
  scope: 'jobs:read',
  filters: rows.filters,
  query: { state: rows.table.Row.shape.state.optional(), name: FlowName.optional() },
  item: FlowItem,
  async rows({ org, db }, page) {
    const found = await rows.list(db, org.id, page)
    const counted = Map.groupBy(
      await flowJobs.countStates(
        db,
        found.map(({ id }) => id),
      ),
      ({ flow_id }) => flow_id,
    )
    return found.map((flow) => ({ ...flow, counted: counted.get(flow.id) ?? [] }))
  },
  present: ({ counted, ...flow }) => presentFlow(flow, counted),
})

export const get = route({
  method: 'GET',
  path: '/flows/{id}',
  summary: 'Read a flow and its jobs',
  description: 'Returns all jobs of the flow with their states and the jobs that they wait for.',
  scope: 'jobs:read',
  params,
  status: 200,
  reply: Flow,
  problems: ['not_found'],
  handle: async ({ params: { id }, org, db }) => readWhole(db, await mustFind(rows.find(db, org.id, id), 'flow')),
})

export const cancel = route({
  method: 'POST',
  path: '/flows/{id}/cancel',
  summary: 'Cancel a flow',
  description: 'Cancels all jobs that have not ended. Requests in progress are aborted. An ended flow does not change.',
  scope: 'jobs:write',
  repeatable: true,
  params,
  status: 200,
  reply: Flow,
  problems: ['not_found'],
  async handle({ params: { id }, org, db }) {
    await db.transaction(async (tx) => {
      const flow = await lockFlow(tx, org.id, id)
      if (flow.state === 'running') await cancelFlow(tx, flow)
    })
    return await readWhole(db, await mustFind(rows.find(db, org.id, id), 'flow'))
  },
})

export const replay = route({
  method: 'POST',
  path: '/flows/{id}/replay',
  summary: 'Replay the failed jobs of a flow',
  description:
    'Failed, cancelled and skipped jobs run again in their order, with all their attempts. Completed jobs do not run again.',
  scope: 'jobs:write',
  idempotent: true,
  enqueues: call,
  params,
  status: 200,
  reply: Flow,
  problems: ['not_found', nothingToReplay],
  async handle({ params: { id }, org, db }) {
    const flow = await lockFlow(db, org.id, id)
    if ((await replayFlow(db, flow)) === 0)
      throw nothingToReplay('No job of the flow has failed, or been cancelled or skipped.')
    return await readWhole(db, await mustFind(rows.find(db, org.id, id), 'flow'))
  },
})

async function lockFlow(tx: Db, orgId: string, id: string): Promise<rows.Flow> {
  await mustFind(rows.find(tx, orgId, id), 'flow')
  const [flow] = await rows.lockMany(tx, [id])
  return await mustFind(Promise.resolve(flow), 'flow')
}

const readWhole = async (db: Db, flow: rows.Flow) => presentWholeFlow(flow, await flowJobs.listDetailed(db, flow.id))
