import type * as rows from '#sql/work/jobs.ts'
import type { NewJob } from './new-job.ts'
import { defaultRetries } from './retry-delay.ts'
import { sealHeaders } from './secrets.ts'

/** Row of a job before it is inserted. */
export type Draft = Omit<rows.Job, 'due_at' | 'created_at' | 'started_at' | 'ended_at'> & {
  due_at: string
  created_at: string
  started_at: string | null
  ended_at: string | null
}

export const defaultTimeoutMs = 30_000

/** Returns the row of a new job in its first phase. */
export function draftJob(org_id: string, id: string, job: NewJob): Draft {
  const now = new Date()
  const { url, method = 'POST', body, blockedBy = 0 } = job
  return {
    id,
    org_id,
    url,
    host: new URL(url).host,
    method,
    ...draftHeaders(id, job),
    ...draftLimits(job),
    body: body?.text ?? null,
    body_type: body?.type ?? null,
    status: blockedBy > 0 ? 'blocked' : 'waiting',
    phase: firstPhase(job, now),
    due_at: (job.runAt ?? now).toISOString(),
    turn: 0,
    queue_id: null,
    retries: job.retries ?? defaultRetries,
    timeout_ms: job.timeoutMs ?? defaultTimeoutMs,
    dedupe_key: job.dedupeKey ?? null,
    blocked_by: blockedBy,
    attempts: 0,
    attempt_log: [],
    response_status: null,
    error: null,
    created_at: now.toISOString(),
    started_at: null,
    ended_at: null,
  }
}

function draftHeaders(id: string, { headers = {} }: NewJob) {
  const header_names = Object.keys(headers)
  return { header_names, headers: header_names.length === 0 ? null : sealHeaders(headers, id) }
}

const draftLimits = ({ concurrency, rate, group, origin }: NewJob) => ({
  concurrency_key: concurrency?.key ?? null,
  concurrency_limit: concurrency?.limit ?? null,
  has_place: false,
  rate_key: rate?.key ?? null,
  rate_limit: rate?.limit ?? null,
  rate_per: rate?.per ?? null,
  group_name: group ?? null,
  origin_kind: origin?.kind ?? null,
  origin_id: origin?.id ?? null,
})

function firstPhase({ blockedBy = 0, runAt, concurrency }: NewJob, now: Date): rows.Job['phase'] {
  if (blockedBy > 0) return 'blocked'
  if (runAt !== undefined && runAt > now) return 'timed'
  return concurrency ? 'held' : 'ready'
}
