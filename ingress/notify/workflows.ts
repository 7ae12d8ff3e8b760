import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { z } from 'zod'
import * as runs from '#sql/notify/runs.ts'
import { Step, Steps } from '#sql/notify/workflow-steps.ts'
import * as versions from '#sql/notify/workflow-versions.ts'
import * as rows from '#sql/notify/workflows.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { emitEndedRuns } from '#tasks/notify/rules/end-runs.ts'
import { faultIn } from '#tasks/notify/rules/text-placeholders.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { EventType, Locale, PersonName, ProductKey, WorkflowKey } from './fields.ts'
import { demandTemplate } from './templates.ts'

/** Maximum number of workflows of an organisation. */
const most = 200

const tooMany = problem(409, 'too_many_workflows', `An organisation can have up to ${most} workflows.`)
const triggerTaken = problem(
  409,
  'trigger_taken',
  'Events of this product and type already start another workflow. Unpublish it first.',
)

const Workflow = z
  .object({
    key: z.string(),
    name: z.string(),
    product_key: z.string(),
    type: z.string(),
    fallback_locale: z.string(),
    steps: z.array(Step).describe('Draft steps. Events start a published version.'),
    version: z.int().describe('Number of the last published version. 0 if none was published.'),
    published_version: z
      .int()
      .nullable()
      .describe('Version that events start. `null` if the workflow is not published.'),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'notify.Workflow' })

const WorkflowSummary = Workflow.omit({ steps: true }).meta({ id: 'notify.WorkflowSummary' })

function present<Shown extends rows.WorkflowSummary>({ id: _, org_id: __, ...shown }: Shown) {
  return shown
}

const CheckedSteps = Steps.superRefine((steps, { addIssue }) => {
  for (const [i, step] of steps.entries()) {
    if (step.type !== 'channel') continue
    for (const [n, text] of (step.template?.variables ?? []).entries()) {
      const fault = faultIn(text)
      if (fault) addIssue({ code: 'custom', path: [i, 'template', 'variables', n], message: fault })
    }
  }
})

const ofOne = { params: z.object({ key: WorkflowKey }), status: 200, problems: ['not_found'] } as const

/** Stores a draft. Runs use it only after it is published. */
export const put = route({
  method: 'PUT',
  path: '/workflows/{key}',
  summary: 'Create or replace a workflow draft',
  description: 'Replaces the draft. Runs change only after `POST …/publish` creates a version.',
  scope: 'notify:write',
  params: ofOne.params,
  body: z.strictObject({
    name: PersonName,
    product_key: ProductKey,
    type: EventType.describe('Event type that starts the workflow'),
    fallback_locale: Locale.default('en').describe(
      'Language for people without a text in their language. Default: `en`.',
    ),
    steps: CheckedSteps,
  }),
  status: 200,
  reply: Workflow,
  problems: [tooMany],
  example: {
    body: {
      name: 'Order shipped',
      product_key: 'shop',
      type: 'order.shipped',
      steps: [
        { type: 'channel', channel: 'in_app' },
        { type: 'wait', minutes: 10, until: 'unread' },
        { type: 'channel', channel: 'email' },
        { type: 'channel', channel: 'whatsapp' },
      ],
    },
  },
  async handle({ params: { key }, body, org, db }) {
    for (const [i, step] of body.steps.entries())
      if (step.type === 'channel')
        await demandTemplate(db, org.id, step.template_id, 'email', `body.steps.${i}.template_id`)
    return await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'notify.workflows')
      const known = await rows.find(tx, org.id, key)
      if (!known && (await rows.count(tx, org.id)) >= most) throw tooMany(tooMany.when)
      return present(await rows.put(tx, { ...body, key, org_id: org.id }))
    })
  },
})

/** Creates a version from the draft. New events start runs of this version. */
export const publish = route({
  ...ofOne,
  method: 'POST',
  path: '/workflows/{key}/publish',
  summary: 'Publish a workflow',
  description: 'Creates a version of the draft, which new events start. Runs in progress keep their version and texts.',
  scope: 'notify:write',
  reply: Workflow,
  problems: ['not_found', triggerTaken],
  async handle({ params: { key }, org, db }) {
    try {
      return await db.transaction(async (tx) => {
        const workflow = await mustFind(rows.lock(tx, org.id, key), 'workflow')
        const version = workflow.version + 1
        await versions.publish(tx, workflow, version)
        return present(await rows.setPublished(tx, workflow.id, version))
      })
    } catch (error) {
      if (error instanceof UniqueIntegrityConstraintViolationError) throw triggerTaken(triggerTaken.when)
      throw error
    }
  },
})

/** Unpublishes a workflow. Runs in progress continue. */
export const unpublish = route({
  ...ofOne,
  method: 'POST',
  path: '/workflows/{key}/unpublish',
  repeatable: true,
  summary: 'Unpublish a workflow',
  description: 'Events use preferences again. Runs in progress continue.',
  scope: 'notify:write',
  reply: Workflow,
  async handle({ params: { key }, org, db }) {
    return await db.transaction(async (tx) => {
      const workflow = await mustFind(rows.lock(tx, org.id, key), 'workflow')
      await versions.unpublishVersion(tx, workflow.id)
      return present(await rows.setPublished(tx, workflow.id, null))
    })
  },
})

export const list = listRoute({
  path: '/workflows',
  summary: 'List workflows, newest first',
  description:
    'Returns workflows with their newest version and their published version. Read a workflow for its steps.',
  scope: 'notify:read',
  item: WorkflowSummary,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

const Version = z.object({
  version: z.int(),
  product_key: z.string(),
  type: z.string(),
  fallback_locale: z.string(),
  steps: z.array(Step),
  created_at: Instant,
})

export const read = route({
  ...ofOne,
  method: 'GET',
  path: '/workflows/{key}',
  summary: 'Read a workflow and its versions',
  description: 'Returns the steps of the workflow and a list of its versions.',
  scope: 'notify:read',
  reply: Workflow.extend({
    versions: z.array(Version).describe('Versions, newest first: up to 100, and up to 1 MiB of steps'),
  }),
  async handle({ params: { key }, org, db }) {
    const workflow = await mustFind(rows.find(db, org.id, key), 'workflow')
    const found = await versions.listOf(db, workflow.id)
    return { ...present(workflow), versions: [...found] }
  },
})

export const remove = route({
  ...ofOne,
  method: 'DELETE',
  path: '/workflows/{key}',
  summary: 'Delete a workflow and stop its runs',
  description: 'Runs in progress stop immediately. The response contains their number.',
  scope: 'notify:write',
  reply: z.object({
    key: z.string(),
    deleted: z.literal(true),
    stopped: z.int().describe('Number of waiting runs that were stopped'),
  }),
  async handle({ params: { key }, org, db }) {
    return await db.transaction(async (tx) => {
      const workflow = await mustFind(rows.lock(tx, org.id, key), 'workflow')
      await rows.remove(tx, workflow.id)
      const why = { state: 'stopped', reason: 'workflow_removed' } as const
      const stopped = await runs.endWaiting(tx, org.id, { workflowId: workflow.id }, why)
      await emitEndedRuns(tx, stopped)
      return { key, deleted: true as const, stopped: stopped.length }
    })
  },
})
