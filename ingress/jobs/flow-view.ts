import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as flowJobs from '#sql/work/flow-jobs.ts'
import * as rows from '#sql/work/flows.ts'
import { statuses } from '#sql/work/jobs.ts'
import { countJobs } from '#tasks/work/rules/flows/flow-events.ts'
import { Instant } from '../http/instant.ts'

const Counts = z
  .object({
    total: z.int(),
    blocked: z.int(),
    open: z.int().describe('Jobs that wait for their time or limits, or run'),
    completed: z.int(),
    failed: z.int(),
    cancelled: z.int(),
    skipped: z.int(),
  })
  .meta({ id: 'jobs.FlowCounts' })

export const FlowItem = z
  .object({
    id: Id,
    name: z.string().nullable(),
    state: rows.table.Row.shape.state.describe(
      '`completed`: all jobs are completed. `failed`: all jobs have ended, and at least one is not completed.',
    ),
    jobs_count: Counts,
    created_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'jobs.FlowItem' })

const FlowJob = z
  .object({
    name: z.string(),
    job_id: Id.describe('Read the job for its attempts. It can be deleted before the flow.'),
    after: z.array(z.string()),
    on_failure: flowJobs.table.Row.shape.on_failure,
    with_results: z.boolean(),
    delay: z.int().describe('Seconds'),
    status: z.enum(statuses),
    attempt_count: z.int(),
    response_status: z.int().nullable(),
    error: z.string().nullable(),
    started_at: Instant.nullable(),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'jobs.FlowJob' })

export const Flow = FlowItem.extend({
  jobs: z.array(FlowJob).describe('All jobs in the order of the request'),
}).meta({ id: 'jobs.Flow' })

type CountedState = Parameters<typeof countJobs>[0]

export function presentFlow(row: rows.Flow, counted: CountedState): z.input<typeof FlowItem> {
  return {
    ...{ id: row.id, name: row.name, state: row.state },
    jobs_count: { total: row.job_count, ...countJobs(counted) },
    ...{ created_at: row.created_at, ended_at: row.ended_at },
  }
}

export const presentWholeFlow = (row: rows.Flow, jobs: readonly flowJobs.DetailedFlowJob[]): z.input<typeof Flow> => ({
  ...presentFlow(row, jobs),
  jobs: jobs.map(presentFlowJob),
})

const presentFlowJob = (job: flowJobs.DetailedFlowJob): z.input<typeof FlowJob> => ({
  ...{ name: job.name, job_id: job.job_id, after: job.after },
  ...{ on_failure: job.on_failure, with_results: job.with_results, delay: job.delay_seconds },
  status: job.status ?? (job.state === 'open' ? 'waiting' : job.state),
  attempt_count: job.attempts ?? 0,
  response_status: job.response_status,
  error: job.error,
  started_at: job.started_at,
  ended_at: job.ended_at,
})
