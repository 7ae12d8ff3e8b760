import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as health from '#sql/webhooks/endpoint-health.ts'
import type * as endpoints from '#sql/webhooks/endpoints.ts'
import type { Answer } from './attempt.ts'
import { emit, emitToArea } from './emit.ts'
import { getBreakMs, isHopeless, nextAttemptMs } from './retry-schedule.ts'

/** Whether more events can be delivered now. */
export interface AttemptEffect {
  mayGoOn: boolean
}

const overloaded = new Set([429, 502, 503, 504])

/** Records an attempt and updates the endpoint: healthy, paused or disabled. */
export async function recordAttempt(
  tx: Db,
  target: endpoints.Target,
  due: Pick<deliveries.DueDelivery, 'id' | 'event_id' | 'attempts'>,
  answer: Answer,
): Promise<AttemptEffect> {
  const nextMs = answer.outcome === 'delivered' ? null : nextAttemptMs(due.attempts + 1, answer.retryAfterMs)
  const isLast = nextMs === null || answer.status === 410
  await deliveries.record(tx, due, due.attempts, {
    ...toStored(answer),
    status: answer.outcome === 'delivered' ? 'delivered' : isLast ? 'failed' : 'pending',
    dueMs: nextMs ?? 0,
  })
  if (answer.outcome === 'delivered') {
    await health.recordSuccess(tx, target.id)
    return { mayGoOn: true }
  }
  if (isLast) await announceFailed(tx, target, { ...due, attempts: due.attempts + 1 }, answer)
  return await judge(tx, target, answer)
}

/** Ends a delivery that can no longer be sent. */
export async function recordObstacle(
  tx: Db,
  target: endpoints.Target,
  due: Pick<deliveries.DueDelivery, 'id' | 'event_id' | 'attempts'>,
  error: string,
): Promise<void> {
  if (!(await deliveries.skip(tx, due, error))) return
  await announceFailed(tx, target, due, { status: null, error })
}

/** Reports to the organisation that a message did not reach an endpoint of its customer. */
async function announceFailed(
  tx: Db,
  { id, org_id, app_id, url }: endpoints.Target,
  { event_id, attempts }: Pick<deliveries.DueDelivery, 'event_id' | 'attempts'>,
  { status, error }: Pick<Answer, 'status' | 'error'>,
): Promise<void> {
  if (app_id === null) return
  const data = {
    ...{ app_id, message_id: event_id, endpoint_id: id, url, attempts },
    ...{ response_status: status, error: error ?? '' },
  }
  await emit(tx, org_id, 'hooks.message.failed', data)
}

/** Returns the result of an attempt as the API shows it. */
export const toLogFields = ({ status, latencyMs, head, error }: Answer) => ({
  response_status: status,
  latency_ms: latencyMs,
  response_head: head,
  error,
})

export const toStored = (answer: Answer) => ({ ...toLogFields(answer), response_headers: answer.headers ?? null })

async function judge(tx: Db, target: endpoints.Target, answer: Answer): Promise<AttemptEffect> {
  const failing = await health.recordFailure(tx, target.id)
  if (!failing) return { mayGoOn: false }
  const reason = reasonToDisable(answer, failing)
  if (reason) {
    await disable(tx, target, reason)
    return { mayGoOn: false }
  }
  const isOverloaded = answer.status === null || overloaded.has(answer.status)
  const pauseMs = getBreakMs(failing, isOverloaded, answer.retryAfterMs)
  if (pauseMs === null) return { mayGoOn: true }
  await health.openBreaker(tx, target.id, pauseMs)
  return { mayGoOn: false }
}

function reasonToDisable(answer: Answer, failing: { failures: number; failing_ms: number }): string | null {
  if (answer.status === 410) return 'The endpoint returned 410 Gone.'
  if (isHopeless(failing)) return `Nothing was delivered for 5 days. The last attempt: ${answer.error}`
  return null
}

/** Disables an endpoint. Notifies the organisation’s other endpoints of its area and of all areas. */
async function disable(tx: Db, { id: endpoint_id, org_id, app_id, area, url }: endpoints.Target, reason: string) {
  if (!(await health.disable(tx, endpoint_id, reason))) return
  if (app_id !== null) await emit(tx, org_id, 'hooks.endpoint.disabled', { app_id, endpoint_id, url, reason })
  else await emitToArea(tx, area, org_id, 'webhooks.endpoint.disabled', { endpoint_id, area, url, reason })
}
