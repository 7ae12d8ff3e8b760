import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import { lockOfJobs } from '#sql/work/flows.ts'
import * as rows from '#sql/work/jobs.ts'
import { call } from '#tasks/work/call.ts'
import { cancelJob } from '#tasks/work/rules/cancel-job.ts'
import { createJobsOf } from '#tasks/work/rules/create-jobs.ts'
import { demandJobUrls } from '#tasks/work/rules/job-urls.ts'
import { replayJob } from '#tasks/work/rules/replay-jobs.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { JobForm, toTimedJob } from './job-fields.ts'
import { CreatedJob, Job, JobItem, presentItem, presentJob } from './present.ts'

const params = z.object({ id: pathId('job') })

export const create = groupedRoute({
  method: 'POST',
  path: '',
  summary: 'Create a job',
  description:
    'Millrace calls the URL with the given request, signed by Standard Webhooks. A 2xx response completes the job, `410` fails it, and any other result is retried.',
  tool: { name: 'create_job', reachesOut: true },
  scope: 'jobs:write',
  idempotent: true,
  enqueues: call,
  body: JobForm,
  example: { body: { url: 'https://example.com/jobs/resize', body: { image: 'cat.png' } } },
  status: 201,
  reply: CreatedJob,
  async prepare({ body, org, db }) {
    await demandJobUrls(db, org.id, [{ url: body.url, field: 'body.url' }])
  },
  async commit(tx, calls) {
    const made = await createJobsOf(
      tx,
      calls.map(({ org, body }) => ({ orgId: org.id, job: toTimedJob(body) })),
    )
    return made.map((job) => ({ ...presentJob(job), deduplicated: job.deduplicated }))
  },
})

export const list = listRoute({
  path: '',
  summary: 'List jobs, newest first',
  description: 'Returns jobs without headers, bodies and attempts. Failed jobs have the status `failed`.',
  tool: { name: 'list_jobs', outsideText: true },
  scope: 'jobs:read',
  filters: rows.filters,
  query: {
    status: z.enum(rows.statuses).optional(),
    group: z.string().min(1).max(255).optional(),
    origin_kind: z.enum(rows.originKinds).optional(),
    origin_id: Id.optional().describe('Schedule, flow, source or rule that has created the jobs'),
    host: z.string().min(1).max(255).toLowerCase().optional().describe('Host of the URL, with the port if it has one'),
    dedupe_key: z.string().min(1).max(255).optional(),
    created_after: InstantInput.optional().describe('Start of the period, included'),
    created_before: InstantInput.optional().describe('End of the period, excluded'),
  },
  item: JobItem,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: presentItem,
})

export const get = route({
  method: 'GET',
  path: '/{id}',
  summary: 'Read a job and its attempts',
  description: 'Returns the job with its body and each attempt.',
  tool: { name: 'get_job', outsideText: true },
  scope: 'jobs:read',
  params,
  status: 200,
  reply: Job,
  problems: ['not_found'],
  handle: async ({ params: { id }, org, db }) => presentJob(await mustFind(rows.find(db, org.id, id), 'job')),
})

export const cancel = route({
  method: 'POST',
  path: '/{id}/cancel',
  summary: 'Cancel a job',
  description:
    'A waiting job ends immediately. The request of a running job is aborted within a second, and not repeated. An ended job does not change.',
  tool: { name: 'cancel_job', destructive: true },
  scope: 'jobs:write',
  repeatable: true,
  params,
  status: 200,
  reply: Job,
  problems: ['not_found'],
  handle: async ({ params: { id }, org, db }) =>
    presentJob(
      await mustFind(
        db.transaction((tx) => cancelJob(tx, org.id, id)),
        'job',
      ),
    ),
})

export const replay = route({
  method: 'POST',
  path: '/{id}/replay',
  summary: 'Replay an ended job',
  description: 'Starts the job again with all its attempts. Earlier attempts stay in its log.',
  tool: { name: 'retry_job', reachesOut: true },
  scope: 'jobs:write',
  idempotent: true,
  enqueues: call,
  params,
  status: 200,
  reply: Job,
  problems: ['not_found', 'conflict'],
  async handle({ params: { id }, org, db }) {
    await lockOfJobs(db, [id])
    const job = await mustFind(rows.lock(db, org.id, id), 'job')
    if (job.phase !== 'ended') throw conflict('The job has not ended. Only ended jobs can be replayed.')
    return presentJob(await replayJob(db, job))
  },
})

export const remove = removeRoute({
  path: '/{id}',
  summary: 'Delete an ended job',
  description: 'Deletes the job and its attempts. Cancel a job that has not ended first.',
  scope: 'jobs:write',
  params,
  what: 'job',
  problems: ['conflict'],
  async remove({ params: { id }, org, db }) {
    const job = await rows.lock(db, org.id, id)
    if (job && job.phase !== 'ended') throw conflict('The job has not ended. Cancel it first.')
    return await rows.remove(db, org.id, id)
  },
})
