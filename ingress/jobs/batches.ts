import { z } from 'zod'
import { badRequest, type Fault } from '#lib/errors.ts'
import { secret } from '#lib/secret-fields.ts'
import { mapInTurns } from '#lib/turns.ts'
import { call } from '#tasks/work/call.ts'
import { createJobs } from '#tasks/work/rules/create-jobs.ts'
import { findUrlFaults } from '#tasks/work/rules/job-urls.ts'
import { markSecret } from '../http/openapi/schemas.ts'
import { parseWithFaults } from '../http/request/issues.ts'
import { checkText } from '../http/request/json.ts'
import { route } from '../http/route.ts'
import { JobForm, toTimedJob } from './job-fields.ts'
import { CreatedJobItem, presentItem } from './present.ts'

const mostJobs = 100

/** Maximum number of concurrent batches per process, and per organisation. */
const atOnce = { requests: 8, ofOne: 4 }

/**
 * Schema for the documentation only. Each job is validated separately, so that each job has its own error. The request
 * log masks jobs of batches, because their headers can contain credentials.
 */
const Given = secret(z.unknown().meta(described()))

function described(): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(JobForm, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => markSecret(jsonSchema),
  })
  return schema
}

const Accepted = CreatedJobItem.extend({ accepted: z.literal(true), index: z.int() }).meta({ id: 'jobs.AcceptedJob' })

const Refused = z.object({
  accepted: z.literal(false),
  index: z.int(),
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.unknown().optional().describe('The invalid fields'),
  }),
})

export const create = route({
  method: 'POST',
  path: '/batch',
  summary: 'Create up to 100 jobs',
  description:
    'Each job is accepted or rejected separately. The results are in the order of `jobs`, without bodies. The accepted jobs are stored together. The `Idempotency-Key` applies to the batch.',
  scope: 'jobs:write',
  bodyLimit: 8 * 1024 * 1024,
  itemsApart: 'jobs',
  atOnce,
  body: z.strictObject({ jobs: z.array(Given).min(1).max(mostJobs) }),
  idempotent: true,
  enqueues: call,
  status: 201,
  reply: z.object({
    accepted: z.int().describe('Number of accepted jobs, including deduplicated ones'),
    refused: z.int(),
    data: z
      .array(z.discriminatedUnion('accepted', [Accepted, Refused]))
      .describe('One result per job, in the order of `jobs`'),
  }),
  example: {
    body: { jobs: ['cat', 'dog'].map((name) => ({ url: 'https://example.com/jobs/resize', body: { name } })) },
  },
  // Runs outside the transaction, because reading a large batch takes a while.
  async prepare({ body, org, db }) {
    const read = await mapInTurns(body.jobs, readJob)
    const urls = read.map((one) => ('job' in one ? one.job.url : ''))
    const faults = await findUrlFaults(db, org.id, urls)
    return read.map((one, index) => {
      const issue = faults[index]
      return 'job' in one && issue !== undefined ? { faults: [{ field: `body.jobs.${index}.url`, issue }] } : one
    })
  },
  async handle({ org, prepared, db }) {
    const sound = prepared.flatMap((one) => ('job' in one ? [toTimedJob(one.job)] : []))
    const made = [...(await createJobs(db, org.id, sound))]
    const data = prepared.map((one, index) => {
      const job = 'job' in one ? made.shift() : undefined
      if (job) return { ...presentItem(job), deduplicated: job.deduplicated, accepted: true as const, index }
      const { code, message, details } = badRequest('faults' in one ? one.faults : [])
      return { accepted: false as const, index, error: { code, message, details } }
    })
    const accepted = data.filter((one) => one.accepted).length
    return { accepted, refused: data.length - accepted, data }
  },
})

function readJob(given: unknown, index: number): { job: JobForm } | { faults: Fault[] } {
  const faults: Fault[] = []
  const place = `body.jobs.${index}`
  checkText(given, place, faults)
  const job = parseWithFaults(JobForm, given, place, faults)
  return faults.length > 0 ? { faults } : { job: job as JobForm }
}
