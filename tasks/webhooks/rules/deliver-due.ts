import { setTimeout as pause } from 'node:timers/promises'
import { describe } from '#lib/errors.ts'
import { type OutboundClient, ServerTimeoutError } from '#lib/http.ts'
import { log } from '#lib/log.ts'
import type { Seal } from '#lib/seal.ts'
import { type DatabasePool, isRowFault } from '#sql/db.ts'
import { untilWritten } from '#sql/persist.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as health from '#sql/webhooks/endpoint-health.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { type Answer, sendEvent } from './attempt.ts'
import { selectOutbound } from './endpoint-url.ts'
import { findObstacle } from './obstacle.ts'
import { takePaced } from './pacer.ts'
import { recordAttempt, recordObstacle, toStored } from './record-attempt.ts'

/** Maximum number of simultaneous deliveries to one endpoint. One if the endpoint fails. */
const atOnce = 8

const batch = 32

/** Time in milliseconds after which a job lets the next endpoint continue. */
const runMs = 20_000

/** Duration of a lease in milliseconds. Longer than a batch in which every delivery times out. */
const leaseMs = 90_000

/**
 * Time in milliseconds for which a result is kept while the database is unavailable. A result that is lost causes the
 * event to be sent again.
 */
const keptMs = 15_000

/** Time in milliseconds after which the settings of the endpoint are read again before the next delivery. */
const freshMs = 1_000

/** Interval in milliseconds between checks for due deliveries while other deliveries hang. */
const lookMs = 300

interface EndpointRun {
  endpointId: string
  wakeId: string
}

interface DeliveryTools {
  db: DatabasePool
  outbound: OutboundClient
  local?: OutboundClient | undefined
  seal: Seal
  signal: AbortSignal
}

/**
 * Delivers due events until none is left, the time ends, or the endpoint must be paused. Returns the endpoint, which is
 * still leased. Null if another job has the lease or the endpoint accepts no events now.
 */
export async function deliverDue(turn: EndpointRun, tools: DeliveryTools): Promise<endpoints.Target | null> {
  const due = createReader(turn, tools.db)
  if (!(await due.renew())) return null
  const failure = new AbortController()
  const outbound = await selectOutbound(due.target().org_id, tools)
  const lent = { ...tools, outbound, signal: AbortSignal.any([tools.signal, failure.signal]) }
  const state: State = { isFailing: due.target().failing_since !== null, mayGoOn: true }
  const runEnds = performance.now() + runMs
  const underWay = new Map<string, Promise<void>>()
  const room = () => (state.mayGoOn ? (state.isFailing ? 1 : atOnce) - underWay.size : 0)
  try {
    for (;;) {
      lent.signal.throwIfAborted()
      if (performance.now() > runEnds) state.mayGoOn = false
      if (room() > 0 && !(await due.read([...underWay.keys()]))) state.mayGoOn = false
      const wanted = room()
      const taken = await due.take(wanted)
      for (const one of taken.deliveries) {
        const work = deliverOne(due.target(), one, lent, state).finally(() => underWay.delete(one.id))
        underWay.set(one.id, work)
      }
      // A paced endpoint continues in a later job, so that no slot waits.
      if (taken.isPaced) state.mayGoOn = false
      if (underWay.size === 0) return due.target()
      await Promise.race([...underWay.values(), pause(lookMs)])
    }
  } finally {
    failure.abort(new Error('another delivery of this job has failed'))
    await Promise.allSettled(underWay.values())
  }
}

/** Reads the due deliveries of a leased endpoint in batches, and its settings at least once per second. */
function createReader({ endpointId, wakeId }: EndpointRun, db: DatabasePool) {
  let target: endpoints.Target | undefined
  let renewedAt = 0
  let listedAt = 0
  let isAllListed = false
  let waiting: deliveries.DueDelivery[] = []

  const isFresh = () => performance.now() - renewedAt < freshMs

  /** Returns false if the endpoint accepts no deliveries now. Its settings may have changed, for example its secret. */
  async function renew(): Promise<boolean> {
    const renewed = await endpoints.lease(db, endpointId, wakeId, leaseMs)
    target = renewed ?? target
    renewedAt = performance.now()
    // Deliveries are read again, because a payload may have been deleted.
    waiting = []
    return renewed !== null
  }

  async function list(except: readonly string[]): Promise<void> {
    listedAt = performance.now()
    waiting = [...(await deliveries.listDue(db, endpointId, { limit: batch, except }))]
    isAllListed = waiting.length < batch
  }

  return {
    renew,
    target: () => target as endpoints.Target,
    /**
     * Reads deliveries if none waits, except those in `except`. Returns false if the endpoint accepts none now, or if
     * the last read found less than a batch and these deliveries have ended.
     */
    async read(except: readonly string[]): Promise<boolean> {
      if (waiting.length === 0 && isAllListed && except.length === 0) return false
      const isEarly = isAllListed && performance.now() - listedAt < lookMs
      if (isFresh() && (waiting.length > 0 || isEarly)) return true
      if (!isFresh() && !(await renew())) return false
      if (waiting.length === 0) await list(except)
      return true
    },
    /** Takes up to `room` deliveries. `isPaced` is true if a rate limit allows fewer. */
    async take(room: number): Promise<{ deliveries: deliveries.DueDelivery[]; isPaced: boolean }> {
      const wanted = Math.min(Math.max(room, 0), waiting.length)
      const allowed = await takePaced(db, target as endpoints.Target, wanted)
      return { deliveries: waiting.splice(0, allowed), isPaced: allowed < wanted }
    },
  }
}

interface State {
  isFailing: boolean
  mayGoOn: boolean
}

async function deliverOne(
  target: endpoints.Target,
  due: deliveries.DueDelivery,
  { db, ...tools }: DeliveryTools,
  state: State,
): Promise<void> {
  const event = { id: due.event_id, type: due.type, occurredAt: due.occurred_at, data: due.data }
  const obstacle = findObstacle(target, due)
  if (obstacle !== null) {
    await untilWritten(keptMs, () => db.transaction((tx) => recordObstacle(tx, target, due, obstacle)))
    return
  }
  // The server’s state is kept per endpoint, because one path of a server can hang while another responds.
  const answer = await sendEvent(target, event, { ...tools, holder: target.id }).catch(async (error) => {
    if (!(error instanceof ServerTimeoutError)) throw error
    // No event was sent, so no attempt is used.
    await untilWritten(keptMs, () => health.openBreaker(db, target.id, error.retryAfterMs))
    return null
  })
  if (!answer) {
    state.mayGoOn = false
    return
  }
  const write = (told: Answer) => untilWritten(keptMs, () => record(db, target, due, told, state))
  const { mayGoOn } = await write(answer).catch(async (error) => {
    if (!isRowFault(error)) throw error
    log.error({ err: describe(error), delivery_id: due.id }, 'a webhook response could not be stored')
    return await write(withoutTexts(answer))
  })
  state.isFailing = answer.outcome !== 'delivered'
  state.mayGoOn &&= mayGoOn
}

/** A success for a healthy endpoint does not change the endpoint. */
async function record(
  db: DatabasePool,
  target: endpoints.Target,
  due: deliveries.DueDelivery,
  answer: Answer,
  { isFailing }: State,
): Promise<{ mayGoOn: boolean }> {
  if (answer.outcome === 'delivered' && !isFailing) {
    await deliveries.record(db, due, due.attempts, { ...toStored(answer), status: 'delivered', dueMs: 0 })
    return { mayGoOn: true }
  }
  return await db.transaction((tx) => recordAttempt(tx, target, due, answer))
}

/** The text of the response must not cause another send or block other deliveries. */
const withoutTexts = (answer: Answer): Answer => ({
  ...answer,
  head: null,
  headers: {},
  error: answer.error === null ? null : 'The response of the endpoint could not be stored.',
})
