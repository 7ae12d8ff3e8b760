import { mask } from '#lib/mask.ts'
import type { Condition } from '#sql/automation/conditions.ts'
import type { Rule } from '#sql/automation/rules.ts'
import type { WaitingRun } from '#sql/automation/runs.ts'
import type { Db } from '#sql/db.ts'
import { isSubscribed } from '../../webhooks/rules/wants.ts'
import type { JobRequest } from './actions/job.ts'
import { actionKinds } from './actions/kinds.ts'
import { findUnmet } from './conditions.ts'
import { type Failure, isFailure } from './outcome.ts'
import { fillAction } from './perform-runs.ts'
import { type EventFacts, UnfilledError } from './placeholders.ts'

export interface Trial {
  /** True if the event would start the rule, if the rule were enabled. */
  matches: boolean
  reason: 'event' | 'mode' | 'condition' | null
  /** First condition that is false. */
  unmet: Condition | null
  /** The action with all placeholders filled in. Null if that is not possible. */
  action: Readonly<Record<string, unknown>> | null
  error: Failure | null
}

/** Shows what a rule would do with an event. Creates nothing. */
export async function tryRule(db: Db, rule: Rule, event: EventFacts): Promise<Trial> {
  const unmet = findUnmet(rule.conditions, event.data) ?? null
  const reason: Trial['reason'] = findReason(rule, event) ?? (unmet === null ? null : 'condition')
  const filled = fill(rule, event)
  const shown = { matches: reason === null, reason, unmet }
  if (isFailure(filled)) return { ...shown, action: null, error: filled }
  const error = await findFailure(db, rule, event, filled)
  return { ...shown, action: showAction(rule, filled), error }
}

function findReason(rule: Rule, { type, data }: EventFacts): 'event' | 'mode' | undefined {
  const subscription = { org_id: rule.org_id, area: null, mode: rule.mode, events: [rule.event] }
  const event = { orgId: rule.org_id, type, data }
  if (isSubscribed(subscription, event)) return undefined
  return isSubscribed({ ...subscription, mode: null }, event) ? 'mode' : 'event'
}

function fill(rule: Rule, event: EventFacts): object | Failure {
  try {
    return fillAction(rule.action, event)
  } catch (error) {
    if (error instanceof UnfilledError) return { code: 'invalid_value', message: error.message }
    throw error
  }
}

/** Returns why the action would fail. Null if no reason is known before it is performed. */
async function findFailure(db: Db, rule: Rule, event: EventFacts, request: object): Promise<Failure | null> {
  const now = new Date()
  const run: WaitingRun = {
    ...{ id: event.id, org_id: rule.org_id, rule_id: rule.id, event_id: event.id, event_type: event.type },
    ...{ sandbox: event.data.sandbox === true, depth: 0, status: 'waiting', result_type: null, result_id: null },
    ...{ error_code: null, error_message: null, retries: 0, created_at: now, ended_at: null },
    ...{ data: event.data, event_created_at: now },
  }
  const [ready] = await actionKinds[rule.action.type].prepare(db, [{ run, rule, request }])
  return ready && isFailure(ready) ? ready : null
}

function showAction({ action }: Rule, request: object): Record<string, unknown> {
  if (action.type !== 'job') return { type: action.type, ...request }
  const { body, delaySeconds, timeoutMs, dedupeKey, dedupeSeconds, ...rest } = request as JobRequest
  const times = { ...(delaySeconds > 0 && { delay: delaySeconds }), timeout: timeoutMs && timeoutMs / 1_000 }
  const fields = { ...rest, ...times, dedupe_key: dedupeKey, dedupe_window: dedupeSeconds }
  const headers = Object.fromEntries(action.header_names.map((name) => [name, mask]))
  const sent = body && (body.type === 'json' ? JSON.parse(body.text) : body.text)
  return JSON.parse(JSON.stringify({ type: action.type, ...fields, headers, body: sent }))
}
