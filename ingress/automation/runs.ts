import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as rows from '#sql/automation/runs.ts'
import * as events from '#sql/webhooks/events.ts'
import { perform } from '#tasks/automation/perform.ts'
import { enqueueRuns } from '#tasks/automation/rules/perform-job.ts'
import { isEventType } from '#tasks/webhooks/rules/event-types.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { presentRun, Run } from './present.ts'

export const list = listRoute({
  path: '/runs',
  summary: 'List runs of rules, newest first',
  description: 'Returns one run for each event that has started a rule.',
  scope: 'automation:read',
  filters: rows.filters,
  query: {
    rule_id: Id.optional(),
    status: rows.Run.shape.status.optional(),
    event_id: Id.optional(),
    event_type: z
      .string()
      .max(100)
      .refine(isEventType, { error: 'must be an event type, such as email.bounced' })
      .optional(),
  },
  item: Run,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present: presentRun,
})

const params = z.object({ id: pathId('run') })

const ReadRun = Run.extend({
  event: z
    .object({ id: Id, type: z.string(), timestamp: Instant, data: z.record(z.string(), z.unknown()) })
    .nullable()
    .describe('`null` if the event was deleted after its retention'),
})

export const read = route({
  method: 'GET',
  path: '/runs/{id}',
  summary: 'Read a run and its event',
  description: 'Returns the event, and the object that the action created or the error.',
  scope: 'automation:read',
  params,
  status: 200,
  reply: ReadRun,
  problems: ['not_found'],
  async handle({ params: { id }, org, db }) {
    const run = await mustFind(rows.find(db, org.id, id), 'run')
    const event = await events.find(db, org.id, run.event_id)
    return {
      ...presentRun(run),
      event: event && { id: event.id, type: event.type, timestamp: event.created_at, data: event.data },
    }
  },
})

export const retry = route({
  method: 'POST',
  path: '/runs/{id}/retry',
  summary: 'Retry a failed or limited run',
  description: 'Performs the action of the rule again, in its current form. The limit per minute does not apply.',
  scope: 'automation:write',
  enqueues: perform,
  params,
  status: 200,
  reply: Run,
  problems: ['not_found', 'conflict'],
  async handle({ params: { id }, org, db }) {
    return await db.transaction(async (tx) => {
      const before = await mustFind(rows.find(tx, org.id, id), 'run')
      const run = await rows.retry(tx, org.id, id)
      if (!run) throw conflict(`Only failed and limited runs can be retried. This run is ${before.status}.`)
      await enqueueRuns(tx, [run])
      return presentRun({ ...run, rule_name: before.rule_name })
    })
  },
})
