import { LRUCache } from 'lru-cache'
import type { OutboundClient } from '#lib/http.ts'
import { ServerTimeoutError } from '#lib/http.ts'
import type { Seal } from '#lib/seal.ts'
import { counter } from '#lib/telemetry/metrics.ts'
import { getHeadersContext, getSecretContext } from '#sql/work/settings.ts'
import type { Begun } from '#sql/work/turns.ts'
import { callServer } from '../../webhooks/rules/call-server.ts'
import { openSecrets, signRequest } from '../../webhooks/rules/sign.ts'
import type { Outcome } from '../engine.ts'
import { readResult } from './flows/flow-results.ts'
import type { JobBody } from './job-body.ts'
import { getRetryMs } from './retry-delay.ts'

const counted = counter('millrace_job_calls_total', 'Requests of customers’ jobs.', ['outcome'])

interface CallMeans {
  outbound: OutboundClient
  seal: Seal
  signal: AbortSignal
  /** Undefined if the body was deleted. */
  body: JobBody | undefined
}

const contentTypes = { json: 'application/json', text: 'text/plain; charset=utf-8' } as const

/** Calls the URL of a job once, and decides what follows. */
export async function callJob(job: Begun, means: CallMeans): Promise<Outcome> {
  const at = new Date().toISOString()
  const number = job.attempts + 1
  const { body } = means
  if (body === undefined) return toFailure(job, at, 'The received webhook of this job was deleted.')
  const request = signJob(job, { number, body }, means.seal)
  if (!request) return toFailure(job, at, 'The secrets of this job can no longer be read. Create the job again.')
  const options = {
    method: job.method,
    headers: request,
    ...(body !== null && { body }),
    timeout: job.timeout_ms,
    signal: means.signal,
    holder: job.org_id,
    what: 'server',
  } as const
  try {
    const answer = await callServer(means.outbound, job.url, options)
    counted.inc({ outcome: answer.outcome })
    const { status: response_status, head: response_head, latencyMs: latency_ms, error } = answer
    const attempt = { number: number, at, response_status, response_head, latency_ms, error }
    const result = job.origin_kind === 'flow' && answer.body ? readResult(answer.body) : null
    if (answer.outcome === 'accepted') return { kind: 'end', job, status: 'completed', attempt, result }
    const waitMs = answer.status === 410 ? null : getRetryMs(job.retries, number, answer.retryAfterMs)
    if (waitMs === null) return { kind: 'end', job, status: 'failed', attempt, result }
    return { kind: 'return', job, attempt, waitMs }
  } catch (error) {
    if (!(error instanceof ServerTimeoutError)) throw error
    counted.inc({ outcome: 'skipped' })
    return { kind: 'return', job, attempt: null, waitMs: error.retryAfterMs * (1 + Math.random()) }
  }
}

/** Opened secrets of recent organisations, by the sealed ones. */
const opened = new LRUCache<string, readonly string[]>({ max: 1_000 })

function openCached(job: Begun, seal: Seal): readonly string[] | null {
  const name = `${job.org_id} ${job.secret} ${job.previous_secret ?? ''}`
  const secrets = opened.get(name) ?? openSecrets(job, getSecretContext(job.org_id), seal)
  if (secrets) opened.set(name, secrets)
  return secrets
}

/** Returns the headers of a request with its signature. Null if the secrets cannot be decrypted. */
function signJob(
  job: Begun,
  { number, body }: { number: number; body: JobBody },
  seal: Seal,
): Record<string, string> | null {
  const secrets = openCached(job, seal)
  const own = job.headers === null ? '{}' : seal.open(job.headers, getHeadersContext(job.id))
  if (!secrets || own === null) return null
  return {
    'user-agent': 'Millrace-Jobs/1.0',
    ...(job.body_type && { 'content-type': contentTypes[job.body_type] }),
    ...(JSON.parse(own) as Record<string, string>),
    ...signRequest({ id: job.id, body: body ?? '', secrets }),
    'millrace-job-id': job.id,
    'millrace-attempt': String(number),
    // Percent-encoded, because headers contain ASCII only.
    ...(job.group_name !== null && { 'millrace-group': encodeURIComponent(job.group_name.toWellFormed()) }),
    ...(job.scheduled_for && { 'millrace-scheduled-for': job.scheduled_for.toISOString() }),
  }
}

function toFailure(job: Begun, at: string, error: string): Outcome {
  const nothing = { response_status: null, response_head: null, latency_ms: 0 }
  return { kind: 'end', job, status: 'failed', attempt: { number: job.attempts + 1, at, ...nothing, error } }
}
