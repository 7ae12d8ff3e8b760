import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { UserId } from '#lib/user-id.ts'
import * as trace from '#sql/notify/run-steps.ts'
import * as rows from '#sql/notify/runs.ts'
import { emitEndedRuns } from '#tasks/notify/rules/end-runs.ts'
import { getPersonId } from '#tasks/notify/rules/person-id.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { WorkflowKey } from './fields.ts'

const Run = z
  .object({
    id: Id,
    workflow: z.string().describe('Key of the workflow'),
    version: z.int(),
    event_id: Id.describe('Event that started the run'),
    user_id: z.string(),
    product_key: z.string(),
    type: z.string(),
    title: z.string(),
    state: rows.State.describe(
      '`waiting` for its next step, `completed`, `stopped` before its end, `cancelled` or `failed`',
    ),
    reason: z
      .string()
      .nullable()
      .describe('Reason why the run ended early. For example, `read`, `person_removed` or `key_revoked`.'),
    due_at: Instant.nullable().describe('Time when the run continues'),
    created_at: Instant,
    ended_at: Instant.nullable(),
  })
  .meta({ id: 'notify.Run' })

export function present(run: rows.ShownRun): z.input<typeof Run> {
  const { id, workflow, version, event_id, product_key, type, title, state, reason, created_at, ended_at } = run
  return {
    ...{ id, workflow, version, event_id, product_key, type, title, state, reason, created_at, ended_at },
    user_id: run.subject ?? run.user_id,
    due_at: state === 'waiting' ? run.due_at : null,
  }
}

export const list = listRoute({
  path: '/runs',
  summary: 'List workflow runs, newest first',
  description: 'Returns workflow runs. Filters select a workflow, a person or a state.',
  scope: 'notify:read',
  filters: rows.filters,
  otherParams: ['user_id'],
  query: { workflow: WorkflowKey.optional(), user_id: UserId.optional(), state: rows.State.optional() },
  item: Run,
  rows: ({ query: { user_id }, org, db }, page) =>
    rows.list(db, org.id, { ...page, userId: user_id && getPersonId(user_id) }),
  present,
})

const RunStep = z.object({
  step: z
    .int()
    .describe(
      'Position in the workflow, starting at 0. Steps of a branch follow the branch, then those of its `else`.',
    ),
  type: trace.RunStep.shape.type,
  channel: trace.RunStep.shape.channel,
  state: trace.RunStep.shape.state.describe(
    '`waiting` during a wait, `done`, `skipped`, `refused` (by the area of its channel) or `failed`',
  ),
  reason: z
    .string()
    .nullable()
    .describe('For example, `condition`, `preference`, `no_address`, or a reason from the channel’s area'),
  detail: z.string().nullable(),
  message_id: Id.nullable().describe('ID of the message in the area of its channel, where you can read its delivery'),
  text_locale: z.string().nullable(),
  text_version: z.int().nullable(),
  due_at: Instant.nullable().describe('Time when the wait ends'),
  at: Instant,
})

export const read = route({
  method: 'GET',
  path: '/runs/{id}',
  summary: 'Read a run and its steps',
  description: 'Returns the run with the state, time and reason of each step.',
  scope: 'notify:read',
  params: z.object({ id: pathId('run') }),
  status: 200,
  reply: Run.extend({ steps: z.array(RunStep).describe('Completed and waiting steps, in order') }),
  problems: ['not_found'],
  async handle({ params, org, db }) {
    const run = await mustFind(rows.find(db, org.id, params.id), 'run')
    const steps = await trace.listOf(db, [run.id])
    return {
      ...present(run),
      steps: steps.map(({ run_id: _, number, org_id: __, ...step }) => ({ step: number, ...step })),
    }
  },
})

export const cancel = route({
  method: 'POST',
  path: '/runs/{id}/cancel',
  summary: 'Cancel a run',
  description:
    'No further steps run. Messages that were already sent cannot be recalled. Returns `409` if the run has ended.',
  scope: 'notify:write',
  params: z.object({ id: pathId('run') }),
  status: 200,
  reply: Run,
  problems: ['not_found', 'conflict'],
  async handle({ params, org, db }) {
    return await db.transaction(async (tx) => {
      await mustFind(rows.find(tx, org.id, params.id), 'run')
      const ended = await rows.endWaiting(tx, org.id, { id: params.id }, { state: 'cancelled', reason: null })
      if (ended.length === 0) throw conflict('The run has already ended.')
      await emitEndedRuns(tx, ended)
      return present(await mustFind(rows.find(tx, org.id, params.id), 'run'))
    })
  },
})
