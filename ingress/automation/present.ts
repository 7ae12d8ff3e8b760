import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { mask } from '#lib/mask.ts'
import { actionTypes } from '#sql/automation/actions.ts'
import { Condition } from '#sql/automation/conditions.ts'
import * as rows from '#sql/automation/rules.ts'
import * as runs from '#sql/automation/runs.ts'
import { Instant } from '../http/instant.ts'

const ActionView = z
  .looseObject({ type: z.enum(actionTypes) })
  .describe('The action with all its fields. The values of headers are masked.')
  .meta({ id: 'automation.Action' })

export const Rule = z
  .object({
    id: Id,
    name: z.string(),
    event: z.string(),
    mode: z.enum(['live', 'test']).nullable(),
    conditions: z.array(Condition),
    action: ActionView,
    max_per_minute: z.int(),
    state: rows.State,
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'automation.Rule' })

export function present({ org_id: _, key_id: __, secret_headers: ___, action, state, ...rule }: rows.Rule) {
  return {
    ...rule,
    action: presentAction(action),
    state: state === 'enabled' ? ('enabled' as const) : ('paused' as const),
  }
}

/** Returns an action in the form in which it was given. */
export function presentAction(action: rows.Rule['action']): z.input<typeof ActionView> {
  if (action.type !== 'job') return action
  const { header_names, ...fields } = action
  const headers = Object.fromEntries(header_names.map((name) => [name, mask]))
  return { ...fields, ...(header_names.length > 0 && { headers }) }
}

export const Failure = z.object({ code: z.string(), message: z.string() }).meta({ id: 'automation.Failure' })

export const Run = z
  .object({
    id: Id,
    rule_id: Id,
    rule_name: z.string(),
    event_id: Id,
    event_type: z.string(),
    sandbox: z.boolean().describe('True for an event of a test key'),
    depth: z.int().describe('Number of rules whose actions led to the event'),
    status: runs.Run.shape.status.describe(
      '`waiting`, `done`, `failed`, `limited` (over `max_per_minute`) or `loop_stopped` (more than 5 rules in a row)',
    ),
    result: z
      .object({
        type: z.enum(actionTypes),
        id: Id.describe('`workflow`: event of the notify area. `job`: job. `template`: email message.'),
      })
      .nullable(),
    error: Failure.nullable(),
    retries: z.int().describe('Number of retries by API or dashboard'),
    created_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'automation.Run' })

export function presentRun(run: runs.ShownRun): z.input<typeof Run> {
  const { org_id: _, result_type, result_id, error_code, error_message, ...shown } = run
  return {
    ...shown,
    result: run.status === 'done' && result_type && result_id ? { type: result_type, id: result_id } : null,
    error: error_code === null ? null : { code: error_code, message: error_message ?? '' },
  }
}
