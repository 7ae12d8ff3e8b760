import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind, sampleTime, Time } from './kind.ts'

const Job = z.strictObject({
  id: Id.describe('Job ID'),
  url: z.string(),
  method: z.string(),
  group: z.string().nullable(),
  dedupe_key: z.string().nullable(),
  origin: z
    .strictObject({ kind: z.enum(['schedule', 'flow', 'source', 'rule']), id: Id })
    .nullable()
    .describe('What has created the job. `null` if it was a request.'),
  attempts: z.number().describe('Number of attempts'),
  response_status: z
    .number()
    .nullable()
    .describe('HTTP status of the last response. `null` if the server did not respond.'),
  error: z.string().nullable().describe('Reason of the failure'),
  created_at: Time,
  ended_at: Time,
})

const sample: z.input<typeof Job> = {
  id: createSampleId(70),
  url: 'https://example.com/jobs/resize',
  method: 'POST',
  group: 'thumbnails',
  dedupe_key: null,
  origin: null,
  attempts: 1,
  response_status: 200,
  error: null,
  created_at: sampleTime,
  ended_at: sampleTime,
}

const Flow = z.strictObject({
  id: Id.describe('Flow ID'),
  name: z.string().nullable(),
  jobs: z
    .strictObject({ completed: z.number(), failed: z.number(), cancelled: z.number(), skipped: z.number() })
    .describe('Number of jobs in each state'),
  failed_jobs: z.array(z.string()).describe('Names of the jobs that failed'),
  created_at: Time,
  ended_at: Time,
})

const flowSample: z.input<typeof Flow> = {
  id: createSampleId(71),
  name: 'order-17',
  jobs: { completed: 4, failed: 0, cancelled: 0, skipped: 0 },
  failed_jobs: [],
  created_at: sampleTime,
  ended_at: sampleTime,
}

export const work = {
  'job.flow.completed': kind('All jobs of a flow are completed.', Flow, flowSample),
  'job.flow.failed': kind('All jobs of a flow have ended, and at least one is not completed.', Flow, {
    ...flowSample,
    jobs: { completed: 1, failed: 1, cancelled: 0, skipped: 2 },
    failed_jobs: ['pack'],
  }),
  'job.completed': kind('The server has accepted the request of a job.', Job, sample),
  'job.failed': kind('A job has failed. It is not retried.', Job, {
    ...sample,
    attempts: 5,
    response_status: 500,
    error: 'The server returned 500.',
  }),
}
