import { z } from 'zod'
import { findGraphFaults } from '#tasks/work/rules/flows/check-graph.ts'
import type { NewFlowJob } from '#tasks/work/rules/flows/create-flow.ts'
import { hasAllowedBody, jobFields, maxAheadSeconds, toNewJob } from './job-fields.ts'

/** Maximum number of jobs of a flow. */
export const mostFlowJobs = 100

/** Maximum number of jobs whose results a job receives. */
const mostResults = 20

/** Maximum size of all bodies of a flow in bytes. */
const maxBodies = 900_000

export const FlowName = z
  .string()
  .min(1)
  .max(100)
  .refine((name) => name.trim() === name, 'must not start or end with a space')

const JobName = z
  .string()
  .min(1)
  .max(64)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.-]*$/,
    'must contain only letters, digits, and _ . - and start with a letter or digit',
  )

const isObject = (body: unknown): boolean => typeof body === 'object' && body !== null && !Array.isArray(body)

const FlowJob = z
  .strictObject({
    name: JobName.describe('Name of the job in this flow'),
    after: z
      .array(JobName)
      .max(mostFlowJobs)
      .default([])
      .refine((names) => new Set(names).size === names.length, 'must not name a job twice')
      .describe('Names of the jobs that must end before this job starts'),
    on_failure: z
      .enum(['skip', 'run'])
      .default('skip')
      .describe(
        'What happens if one of these jobs fails. `skip`: this job is skipped. `run`: it runs. Default: `skip`.',
      ),
    with_results: z
      .boolean()
      .default(false)
      .describe('True to add `flow` with the results of these jobs to the body, which must be a JSON object or absent'),
    delay: z
      .int()
      .min(0)
      .max(maxAheadSeconds)
      .default(0)
      .describe('Seconds between the end of these jobs, or the creation of the flow, and the start of this job'),
    ...jobFields,
  })
  .refine(hasAllowedBody, { path: ['body'], message: 'cannot be sent with GET' })
  .refine(({ with_results, method }) => !with_results || method !== 'GET', {
    path: ['with_results'],
    message: 'cannot be used with GET',
  })
  .refine(({ with_results, body }) => !with_results || body === undefined || isObject(body), {
    path: ['body'],
    message: 'must be a JSON object with `with_results`',
  })
  .refine(({ with_results, after }) => !with_results || after.length <= mostResults, {
    path: ['after'],
    message: `must name at most ${mostResults} jobs with \`with_results\``,
  })

export const FlowForm = z
  .strictObject({
    name: FlowName.optional().describe('Name by which flows are listed'),
    jobs: z.array(FlowJob).min(1).max(mostFlowJobs).describe(`1 to ${mostFlowJobs} jobs`),
  })
  .superRefine(({ jobs }, ctx) => {
    for (const { index, field, issue } of findGraphFaults(jobs))
      ctx.addIssue({ code: 'custom', path: ['jobs', index, field], message: issue })
  })
  .refine(({ jobs }) => jobs.reduce((sum, { body }) => sum + sizeOf(body), 0) <= maxBodies, {
    path: ['jobs'],
    message: `must have at most ${maxBodies} bytes in all bodies`,
  })

const sizeOf = (body: unknown): number => (body === undefined ? 0 : JSON.stringify(body).length)

export const toFlowJob = ({
  name,
  after,
  on_failure: onFailure,
  with_results: withResults,
  delay: delaySeconds,
  ...fields
}: z.output<typeof FlowJob>): NewFlowJob => ({
  name,
  after,
  onFailure,
  withResults,
  delaySeconds,
  job: toNewJob(fields),
})
