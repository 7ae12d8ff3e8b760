import { Id, newId } from '#lib/ids.ts'
import * as rules from '#sql/automation/rules.ts'
import * as runs from '#sql/automation/runs.ts'
import type { Db } from '#sql/db.ts'
import type { Subscription } from '#sql/webhooks/endpoints.ts'
import { isSubscribed } from '../../webhooks/rules/wants.ts'
import { findUnmet } from './conditions.ts'
import { enqueueRuns } from './perform-job.ts'

/** Maximum number of rules whose actions lead to an event that starts a rule. */
export const maxDepth = 5

interface NewEvent {
  id: string
  orgId: string
  type: string
  data: Readonly<Record<string, unknown>>
}

/** Returns a run for each event and rule that match: event type, mode and conditions. */
export async function findRuns(
  tx: Db,
  candidates: readonly Subscription[],
  events: readonly NewEvent[],
): Promise<readonly runs.NewRun[]> {
  const pairs = candidates.flatMap((rule) =>
    events.filter((event) => isSubscribed(rule, event)).map((event) => ({ rule, event })),
  )
  if (pairs.length === 0) return []
  const conditions = await rules.findConditions(tx, [...new Set(pairs.map(({ rule }) => rule.id))])
  const met = pairs.filter(({ rule, event }) => {
    const own = conditions.get(rule.id)
    return own !== undefined && findUnmet(own, event.data) === undefined
  })
  const depthOf = await findDepths(tx, [...new Set(met.map(({ event }) => event))])
  return met.map(({ rule, event }) => runOf(rule.id, event, depthOf(event)))
}

/** Stores runs, and enqueues them in the transaction of their events. */
export async function startRuns(tx: Db, started: readonly runs.NewRun[]): Promise<void> {
  await runs.insertMany(tx, started)
  await enqueueRuns(
    tx,
    started.filter(({ status }) => status === 'waiting'),
  )
}

function runOf(ruleId: string, { id, orgId, type, data }: NewEvent, depth: number): runs.NewRun {
  const isLoop = depth > maxDepth
  return {
    id: newId(),
    org_id: orgId,
    rule_id: ruleId,
    event_id: id,
    event_type: type,
    sandbox: data.sandbox === true,
    depth,
    status: isLoop ? 'loop_stopped' : 'waiting',
    error_code: isLoop ? 'loop_stopped' : null,
    error_message: isLoop ? `The event is the result of ${depth} rules in a row. The maximum is ${maxDepth}.` : null,
    ended_at: isLoop ? new Date().toISOString() : null,
  }
}

/** Returns the number of rules that led to an event. Its data names the object of an action by its ID. */
async function findDepths(tx: Db, events: readonly NewEvent[]): Promise<(event: NewEvent) => number> {
  const idsOf = new Map(events.map((event) => [event, objectIdsOf(event.data)]))
  const found = await runs.findDepths(tx, [...new Set([...idsOf.values()].flat())])
  return (event) => Math.max(0, ...(idsOf.get(event) ?? []).map((id) => (found.get(id) ?? -1) + 1))
}

/** Returns the IDs of the data’s first level that can be results of actions: events, jobs and messages. */
const objectIdsOf = (data: NewEvent['data']): string[] =>
  ['id', 'event_id', 'job_id', 'message_id', 'notify_event_id'].flatMap((name) => {
    const id = Id.safeParse(data[name])
    return id.success ? [id.data] : []
  })
