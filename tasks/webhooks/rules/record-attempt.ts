import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { findRuns, startRuns } from '../../automation/rules/start-rules.ts'
import type { Answer } from './attempt.ts'
import { type EventType, eventTypes } from './event-types.ts'
import { recordEvents } from './record-events.ts'
import { getBreakMs, isHopeless, nextAttemptMs } from './retry-schedule.ts'
import { isSubscribed } from './wants.ts'

/** Whether more events can be delivered now, and which endpoints must be notified. */
export interface AttemptEffect {
  mayGoOn: boolean
  notified: readonly { id: string; org_id: string }[]
}

const overloaded = new Set([429, 502, 503, 504])

const allAreas = Object.keys(eventTypes)

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
    await endpoints.recordSuccess(tx, target.id)
    return { mayGoOn: true, notified: [] }
  }
  const notified = isLast ? await announceFailed(tx, target, { ...due, attempts: due.attempts + 1 }, answer) : []
  const effect = await judge(tx, target, answer)
  return { ...effect, notified: [...notified, ...effect.notified] }
}

/** Ends a delivery that can no longer be sent. Returns the endpoints with new deliveries. */
export async function recordObstacle(
  tx: Db,
  target: endpoints.Target,
  due: Pick<deliveries.DueDelivery, 'id' | 'event_id' | 'attempts'>,
  error: string,
): Promise<AttemptEffect['notified']> {
  if (!(await deliveries.skip(tx, due, error))) return []
  return await announceFailed(tx, target, due, { status: null, error })
}

/** Reports to the organisation that a message did not reach an endpoint of its customer. */
async function announceFailed(
  tx: Db,
  { id, org_id, app_id, url }: endpoints.Target,
  { event_id, attempts }: Pick<deliveries.DueDelivery, 'event_id' | 'attempts'>,
  { status, error }: Pick<Answer, 'status' | 'error'>,
): Promise<AttemptEffect['notified']> {
  if (app_id === null) return []
  const data = {
    ...{ app_id, message_id: event_id, endpoint_id: id, url, attempts },
    ...{ response_status: status, error: error ?? '' },
  }
  return await announce(tx, { orgId: org_id, type: 'hooks.message.failed', data })
}

/** Adds an event to the organisation's own webhooks. Returns the endpoints with new deliveries. */
async function announce(
  tx: Db,
  event: { orgId: string; type: EventType; data: Readonly<Record<string, unknown>> },
): Promise<AttemptEffect['notified']> {
  const found = await endpoints.listSubscribed(tx, [event.orgId], [])
  if (found.length === 0) return []
  const others = found.filter((one) => one.kind === 'endpoint' && isSubscribed(one, event))
  if (others.length === 0 && !found.some(({ kind }) => kind === 'settings')) return []
  await recordEvents(tx, [{ ...event, endpointIds: others.map(({ id }) => id) }])
  return others.filter(({ paused }) => !paused)
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
  const failing = await endpoints.recordFailure(tx, target.id)
  if (!failing) return { mayGoOn: false, notified: [] }
  const reason = reasonToDisable(answer, failing)
  if (reason) return { mayGoOn: false, notified: await disable(tx, target, reason) }
  const isOverloaded = answer.status === null || overloaded.has(answer.status)
  const pauseMs = getBreakMs(failing, isOverloaded, answer.retryAfterMs)
  if (pauseMs === null) return { mayGoOn: true, notified: [] }
  await endpoints.openBreaker(tx, target.id, pauseMs)
  return { mayGoOn: false, notified: [] }
}

function reasonToDisable(answer: Answer, failing: { failures: number; failing_ms: number }): string | null {
  if (answer.status === 410) return 'The endpoint returned 410 Gone.'
  if (isHopeless(failing)) return `Nothing was delivered for 5 days. The last attempt: ${answer.error}`
  return null
}

/**
 * Disables an endpoint. Notifies the organisation’s other endpoints of its area and of all areas. Returns the endpoints
 * with new deliveries.
 */
async function disable(tx: Db, target: endpoints.Target, reason: string): Promise<AttemptEffect['notified']> {
  if (!(await endpoints.disable(tx, target.id, reason))) return []
  if (target.app_id !== null) {
    const { id: endpoint_id, org_id: orgId, app_id, url } = target
    return await announce(tx, { orgId, type: 'hooks.endpoint.disabled', data: { app_id, endpoint_id, url, reason } })
  }
  const found = await endpoints.listSubscribed(tx, [target.org_id], target.area === null ? allAreas : [target.area])
  if (found.length === 0) return []
  const others = found.filter(({ kind }) => kind === 'endpoint')
  const data = { endpoint_id: target.id, area: target.area, url: target.url, reason }
  const event = { id: newId(), orgId: target.org_id, type: 'webhooks.endpoint.disabled', data }
  const rules = found.filter(({ kind }) => kind === 'rule')
  const runs = await findRuns(tx, rules, [event])
  await recordEvents(tx, [{ ...event, endpointIds: others.map(({ id }) => id) }])
  await startRuns(tx, runs)
  return others.filter(({ paused }) => !paused)
}
