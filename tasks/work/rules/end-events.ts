import type { Ended } from '#sql/work/turns.ts'
import type { EmittedEvent } from '../../webhooks/rules/emit.ts'

/** Returns the events of ended jobs. A cancelled job has none. */
export const toEndEvents = (ended: readonly Ended[]): EmittedEvent[] =>
  ended.flatMap((job) => {
    if (job.status !== 'completed' && job.status !== 'failed') return []
    const type = job.status === 'completed' ? ('job.completed' as const) : ('job.failed' as const)
    return [{ orgId: job.org_id, type, data: toEventData(job) }]
  })

const toEventData = (job: Ended) => ({
  id: job.id,
  url: job.url,
  method: job.method,
  group: job.group_name,
  dedupe_key: job.dedupe_key,
  origin: job.origin_kind !== null && job.origin_id !== null ? { kind: job.origin_kind, id: job.origin_id } : null,
  attempts: job.attempts,
  response_status: job.response_status,
  error: job.error,
  created_at: job.created_at.toISOString(),
  ended_at: (job.ended_at ?? new Date()).toISOString(),
})
