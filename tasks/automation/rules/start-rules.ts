import { newId } from '#lib/ids.ts'
import * as rules from '#sql/automation/rules.ts'
import * as runs from '#sql/automation/runs.ts'
import type { Db } from '#sql/db.ts'
import type { Subscription } from '#sql/webhooks/endpoints.ts'
import { isSubscribed } from '../../webhooks/rules/wants.ts'
import { findUnmet } from './conditions.ts'
import { enqueueRuns } from './perform-job.ts'

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
  return met.map(({ rule, event }) => runOf(rule.id, event))
}

/** Stores runs, and enqueues them in the transaction of their events. */
export async function startRuns(tx: Db, started: readonly runs.NewRun[]): Promise<void> {
  await runs.insertMany(tx, started)
  await enqueueRuns(tx, started)
}

const runOf = (ruleId: string, { id, orgId, type, data }: NewEvent): runs.NewRun => ({
  id: newId(),
  org_id: orgId,
  rule_id: ruleId,
  event_id: id,
  event_type: type,
  sandbox: data.sandbox === true,
})
