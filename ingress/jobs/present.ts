import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { mask } from '#lib/mask.ts'
import * as rows from '#sql/work/jobs.ts'
import { Instant } from '../http/instant.ts'

const Retries = z.object({
  max_attempts: z.int(),
  schedule: z.array(z.number()).optional(),
  backoff: z.object({ first: z.number(), factor: z.number(), most: z.number() }).optional(),
})

/** Job of a list. */
export const JobItem = z
  .object({
    id: Id,
    status: z
      .enum(rows.statuses)
      .describe(
        '`blocked` jobs wait for other jobs. `waiting` jobs wait for their time, for their limits, or for a further attempt.',
      ),
    url: z.string(),
    method: z.enum(rows.methods),
    run_at: Instant.describe('Time of the first or next attempt'),
    retries: Retries,
    timeout: z.number().describe('Seconds'),
    dedupe_key: z.string().nullable(),
    concurrency: z.object({ key: z.string(), limit: z.int() }).nullable(),
    rate: z.object({ key: z.string(), limit: z.int(), per: z.enum(rows.ratePeriods) }).nullable(),
    group: z.string().nullable(),
    origin: z
      .object({ kind: z.enum(rows.originKinds), id: Id })
      .nullable()
      .describe('What has created the job. `null` if it was a request.'),
    attempt_count: z.int(),
    response_status: z.int().nullable().describe('HTTP status of the last response'),
    error: z.string().nullable().describe('Reason why the last attempt failed'),
    created_at: Instant,
    started_at: Instant.nullable().describe('Start of the last attempt'),
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'jobs.JobItem' })

const Attempt = z.object({
  number: z.int(),
  at: Instant,
  response_status: z.int().nullable().describe('`null` if the server did not respond'),
  response_head: z.string().nullable().describe('First 1,024 bytes of the response'),
  latency_ms: z.number(),
  error: z.string().nullable(),
})

export const Job = JobItem.extend({
  headers: z.record(z.string(), z.string()).describe('Names of the headers, with masked values'),
  body: z.unknown().describe('Body of the request. `null` if there is none.'),
  attempts: z.array(Attempt).describe('Up to 50 attempts, oldest first'),
}).meta({ id: 'jobs.Job' })

const created = {
  deduplicated: z.boolean().describe('True if this is the earlier job with the same `dedupe_key`'),
}

export const CreatedJob = Job.extend(created).meta({ id: 'jobs.CreatedJob' })

/** Result of a batch, without headers, body and attempts. */
export const CreatedJobItem = JobItem.extend(created)

export const presentItem = (row: rows.Listed): z.input<typeof JobItem> => ({
  id: row.id,
  status: row.status,
  url: row.url,
  method: row.method,
  run_at: row.due_at,
  retries: row.retries,
  timeout: row.timeout_ms / 1_000,
  dedupe_key: row.dedupe_key,
  concurrency:
    row.concurrency_key === null || row.concurrency_limit === null
      ? null
      : { key: row.concurrency_key, limit: row.concurrency_limit },
  rate:
    row.rate_key === null || row.rate_limit === null || row.rate_per === null
      ? null
      : { key: row.rate_key, limit: row.rate_limit, per: row.rate_per },
  group: row.group_name,
  origin: row.origin_kind === null || row.origin_id === null ? null : { kind: row.origin_kind, id: row.origin_id },
  attempt_count: row.attempts,
  response_status: row.response_status,
  error: row.error,
  created_at: row.created_at,
  started_at: row.started_at,
  ended_at: row.ended_at,
})

export const presentJob = (row: rows.Job): z.input<typeof Job> => ({
  ...presentItem(row),
  headers: Object.fromEntries(row.header_names.map((name) => [name, mask])),
  body: row.body !== null && row.body_type === 'json' ? JSON.parse(row.body) : row.body,
  attempts: row.attempt_log,
})
