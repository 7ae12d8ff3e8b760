import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { Condition } from '#sql/automation/conditions.ts'
import * as rows from '#sql/automation/rules.ts'
import type { Db } from '#sql/db.ts'
import * as events from '#sql/webhooks/events.ts'
import { typesOf } from '#tasks/automation/rules/event-paths.ts'
import type { EventFacts } from '#tasks/automation/rules/placeholders.ts'
import { tryRule } from '#tasks/automation/rules/try-rule.ts'
import { type EventType, eventKinds, isEventType } from '#tasks/webhooks/rules/event-types.ts'
import { Instant } from '../../http/instant.ts'
import { mustFind } from '../../http/must-find.ts'
import { pathId } from '../../http/request/validate.ts'
import { route } from '../../http/route.ts'
import { Failure } from '../present.ts'

/** Maximum number of fields that replace fields of the sample. */
const maxFields = 100

const TrialForm = z
  .strictObject({
    event_id: Id.optional().describe('Stored event, instead of a sample'),
    type: z
      .string()
      .max(100)
      .refine(isEventType, { error: 'must be an event type, such as email.bounced' })
      .optional()
      .describe('Type of the sample. Default: the first type that the rule accepts.'),
    data: z
      .record(z.string().max(100), z.unknown())
      .refine((data) => Object.keys(data).length <= maxFields, { error: `must have at most ${maxFields} fields` })
      .optional()
      .describe('Fields that replace fields of the sample'),
  })
  .refine(({ event_id, type, data }) => event_id === undefined || (type === undefined && data === undefined), {
    path: ['event_id'],
    error: 'cannot be used together with `type` or `data`',
  })
  .prefault({})

const Trial = z
  .object({
    matches: z.boolean().describe('True if the event would start the enabled rule'),
    reason: z
      .enum(['event', 'mode', 'condition'])
      .nullable()
      .describe('Why the event does not match: its type, its mode, or a condition'),
    unmet: Condition.nullable().describe('First condition that is false'),
    action: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('The action with all placeholders filled in. `null` if that is not possible.'),
    error: Failure.nullable().describe('Reason why the action would fail, if it is known before'),
    event: z.object({ id: Id, type: z.string(), timestamp: Instant, data: z.record(z.string(), z.unknown()) }),
  })
  .meta({ id: 'automation.Trial' })

export const testRule = route({
  method: 'POST',
  path: '/rules/{id}/test',
  summary: 'Test a rule',
  description: 'Shows what the rule would do with a sample event or a stored event. Creates and sends nothing.',
  scope: 'automation:write',
  // Templates are rendered in each call.
  limit: { perMinute: 60, by: 'org' },
  params: z.object({ id: pathId('rule') }),
  body: TrialForm,
  status: 200,
  reply: Trial,
  problems: ['not_found'],
  async handle({ params: { id }, body, org, db }) {
    const rule = await mustFind(rows.find(db, org.id, id), 'rule')
    const event = await findEvent(db, rule, body)
    const trial = await tryRule(db, rule, event)
    return { ...trial, event }
  },
})

async function findEvent(db: Db, rule: rows.Rule, form: z.output<typeof TrialForm>): Promise<EventFacts> {
  if (form.event_id === undefined) return createSample(rule, form)
  const stored = await events.find(db, rule.org_id, form.event_id)
  if (!stored) throw badRequest([{ field: 'body.event_id', issue: 'must be one of your stored events' }])
  return { id: stored.id, type: stored.type, timestamp: stored.created_at.toISOString(), data: stored.data }
}

function createSample({ event }: rows.Rule, { type: given, data }: z.output<typeof TrialForm>): EventFacts {
  const type = (given ?? typesOf(event)[0]) as EventType
  const sample = eventKinds[type].sample as Record<string, unknown>
  return { id: newId(), type, timestamp: new Date().toISOString(), data: { ...sample, ...data } }
}
