import { z } from 'zod'
import { InstantInput } from '#lib/input-types.ts'
import { methods, ratePeriods } from '#sql/work/jobs.ts'
import type { NewJob } from '#tasks/work/rules/new-job.ts'
import { maxAttempts, maxDelay } from '#tasks/work/rules/retry-delay.ts'
import { WebhookUrl } from '../webhooks/schemas.ts'
import { Headers } from './headers.ts'

/** Maximum size of a body in bytes. */
export const maxBody = 262_144

export const maxAheadSeconds = 366 * 86_400

const Key = z
  .string()
  .min(1)
  .max(255)
  .refine((text) => text.trim() === text, 'must not start or end with a space')

const Seconds = z.int().min(0).max(maxDelay)

const Retries = z
  .strictObject({
    max_attempts: z.int().min(1).max(maxAttempts).optional(),
    schedule: z
      .array(Seconds)
      .min(1)
      .max(maxAttempts - 1)
      .optional()
      .describe('Seconds between attempts. The last value repeats.'),
    backoff: z
      .strictObject({
        first: z.int().min(1).max(maxDelay).describe('Seconds before the second attempt'),
        factor: z.number().min(1).max(10).default(2).describe('Factor by which each delay grows'),
        most: z.int().min(1).max(maxDelay).default(3_600).describe('Longest delay in seconds'),
      })
      .optional()
      .describe('Growing delays. Millrace adds up to 20 percent at random.'),
  })
  .refine(({ schedule, backoff }) => !(schedule && backoff), 'must have either `schedule` or `backoff`')
  .describe(
    `Attempts and the delays between them. Default: 5 attempts, with delays of 10, 40, 160 and 640 seconds. With a schedule, \`max_attempts\` is by default its length + 1.`,
  )

const Body = z
  .unknown()
  .refine((body) => getBodyBytes(body) <= maxBody, `must have at most ${maxBody} bytes`)
  .describe('Body of the request. Text is sent unchanged. Other values are sent as JSON.')

/** Fields of a job: the request, and how it is repeated and limited. Schedules and other creators of jobs use them. */
export const jobFields = {
  url: WebhookUrl.describe('URL that Millrace calls'),
  method: z.enum(methods).default('POST'),
  headers: Headers.optional(),
  body: Body.optional(),
  retries: Retries.optional(),
  timeout: z.int().min(1).max(300).default(30).describe('Seconds until the response must be complete'),
  concurrency: z
    .strictObject({
      key: Key.describe('Jobs with the same key share the limit'),
      limit: z.int().min(1).max(1_000).describe('Jobs of the key that run at the same time. The latest limit applies.'),
    })
    .optional(),
  rate: z
    .strictObject({
      key: Key.describe('Jobs with the same key share the rate'),
      limit: z.int().min(1).max(10_000).describe('Jobs of the key that start per period, at equal intervals'),
      per: z.enum(ratePeriods).default('second'),
    })
    .optional(),
  group: Key.optional().describe('Name by which jobs are listed and replayed'),
}

/** Fields that name one job and its time. */
export const jobTimeFields = {
  run_at: InstantInput.optional().describe('Time of the first attempt, up to one year from now. Default: now.'),
  delay: z
    .int()
    .min(0)
    .max(maxAheadSeconds)
    .optional()
    .describe('Seconds until the first attempt, instead of `run_at`'),
  dedupe_key: Key.optional().describe(
    'A second job with the same key is not created within `dedupe_window`. The first job is returned, unless it was deleted.',
  ),
  dedupe_window: z
    .int()
    .min(1)
    .max(30 * 86_400)
    .optional()
    .describe('Seconds for which `dedupe_key` returns this job. Default: 86,400.'),
}

const Fields = z.strictObject(jobFields)

export type JobFields = z.output<typeof Fields>

/** A request with a GET or HEAD method has no content (RFC 9110 §9.3.1). */
export const hasAllowedBody = ({ method, body }: { method: string; body?: unknown }): boolean =>
  method !== 'GET' || body === undefined

const isWithinYear = (at: string): boolean => new Date(at).getTime() <= Date.now() + maxAheadSeconds * 1_000

export const JobForm = z
  .strictObject({ ...jobFields, ...jobTimeFields })
  .refine(hasAllowedBody, { path: ['body'], message: 'cannot be sent with GET' })
  .refine(({ run_at, delay }) => run_at === undefined || delay === undefined, {
    path: ['delay'],
    message: 'cannot be used together with `run_at`',
  })
  .refine(({ run_at }) => run_at === undefined || isWithinYear(run_at), {
    path: ['run_at'],
    message: 'must be within one year from now',
  })
  .refine(({ dedupe_key, dedupe_window }) => dedupe_window === undefined || dedupe_key !== undefined, {
    path: ['dedupe_window'],
    message: 'must be used with `dedupe_key`',
  })

export type JobForm = z.output<typeof JobForm>

/** Returns the bytes of a body as it is sent. */
function getBodyBytes(body: unknown): number {
  return body === undefined ? 0 : Buffer.byteLength(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Converts the fields of a form to a job. */
export function toNewJob({ body, retries, timeout, ...fields }: JobFields): NewJob {
  return {
    ...fields,
    body: toBody(body),
    timeoutMs: timeout * 1_000,
    retries: retries && {
      max_attempts: retries.max_attempts ?? (retries.schedule ? retries.schedule.length + 1 : 5),
      ...(retries.schedule && { schedule: retries.schedule }),
      ...(retries.backoff && { backoff: retries.backoff }),
    },
  }
}

const toBody = (body: unknown): NewJob['body'] => {
  if (body === undefined) return undefined
  return typeof body === 'string' ? { text: body, type: 'text' } : { text: JSON.stringify(body), type: 'json' }
}

/** Converts a request for one job, with its time and dedupe key. */
export function toTimedJob({ run_at, delay, dedupe_key, dedupe_window, ...fields }: JobForm): NewJob {
  const runAt = run_at !== undefined ? new Date(run_at) : delay ? new Date(Date.now() + delay * 1_000) : undefined
  return { ...toNewJob(fields), runAt, dedupeKey: dedupe_key, dedupeSeconds: dedupe_window }
}
