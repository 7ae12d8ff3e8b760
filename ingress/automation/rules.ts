import { z } from 'zod'
import * as rows from '#sql/automation/rules.ts'
import * as manage from '#tasks/automation/rules/manage.ts'
import { actorOfCall } from '../http/acting.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { toAction } from './action-form.ts'
import { EventPattern, fields } from './fields.ts'
import { present, Rule } from './present.ts'
import { testRule } from './rules/trial.ts'

export const test = testRule

const tooMany = problem(409, 'too_many_rules', `An organisation can have up to ${manage.maxRules} rules.`)

const scopes = { read: 'automation:read', write: 'automation:write' } as const

const ofOne = { params: z.object({ id: pathId('rule') }), status: 200, reply: Rule, problems: ['not_found'] } as const

export const create = route({
  method: 'POST',
  path: '/rules',
  summary: 'Create a rule',
  description:
    'When an event of the type matches all conditions, the rule performs its action. The caller also needs the scope of the action: `notify:write`, `jobs:write` or `email:send`.',
  scope: scopes.write,
  body: z.strictObject({
    ...fields,
    mode: fields.mode.default('live'),
    conditions: fields.conditions.default([]),
    max_per_minute: fields.max_per_minute.default(600),
  }),
  status: 201,
  reply: Rule,
  problems: [tooMany, 'forbidden'],
  example: {
    body: {
      name: 'Import invoices',
      event: 'files.object.judged',
      conditions: [
        { path: 'scan_status', operator: 'eq', value: 'clean' },
        { path: 'metadata.kind', operator: 'eq', value: 'invoice' },
      ],
      action: { type: 'job', url: 'https://example.com/jobs/import', body: { file: '{{event.data.object_id}}' } },
    },
  },
  async handle({ body, org, key, actor, requestId, ip, db }) {
    const { action, headers = {} } = toAction(body.action, body.name)
    const doer = actorOfCall({ org, key, actor, requestId, ip })
    const rule = await db.transaction((tx) => manage.add(tx, doer, { ...body, action }, headers))
    if (!rule) throw tooMany(tooMany.when)
    return present(rule)
  },
})

export const list = listRoute({
  path: '/rules',
  summary: 'List rules, newest first',
  description: 'Returns the rules with their conditions and actions.',
  scope: scopes.read,
  filters: rows.filters,
  query: { state: rows.State.optional(), event: EventPattern.optional() },
  item: Rule,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  ...ofOne,
  method: 'GET',
  path: '/rules/{id}',
  summary: 'Read a rule',
  description: 'Returns the rule. The values of headers are masked.',
  scope: scopes.read,
  handle: async ({ params: { id }, org, db }) => present(await mustFind(rows.find(db, org.id, id), 'rule')),
})

export const update = route({
  ...ofOne,
  method: 'PATCH',
  path: '/rules/{id}',
  summary: 'Update a rule',
  description:
    'Omitted fields keep their values. `action` replaces the whole action. Without `headers`, a job keeps its headers if its URL has the same origin. Waiting runs use the new action.',
  scope: scopes.write,
  body: z.strictObject({
    name: fields.name.optional(),
    event: fields.event.optional(),
    mode: fields.mode.optional(),
    conditions: fields.conditions.optional(),
    action: fields.action.optional(),
    max_per_minute: fields.max_per_minute.optional(),
  }),
  problems: ['not_found', 'forbidden'],
  async handle({ params: { id }, body, org, key, actor, requestId, ip, db }) {
    const doer = actorOfCall({ org, key, actor, requestId, ip })
    return await db.transaction(async (tx) => {
      const before = await mustFind(rows.lock(tx, org.id, id), 'rule')
      const { action: form, ...given } = body
      const changes = form ? { ...given, ...toAction(form, given.name ?? before.name) } : given
      const set = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
      return present(await manage.change(tx, doer, before, set))
    })
  },
})

export const remove = removeRoute({
  path: '/rules/{id}',
  summary: 'Delete a rule',
  description: 'Waiting runs fail with `rule_deleted`. Its runs can be read until they expire.',
  scope: scopes.write,
  params: ofOne.params,
  what: 'rule',
  remove: ({ params: { id }, org, key, actor, requestId, ip, db }) =>
    manage.remove(db, actorOfCall({ org, key, actor, requestId, ip }), id),
})

const oneState = { ...ofOne, method: 'POST', repeatable: true, scope: scopes.write } as const

export const pause = route({
  ...oneState,
  path: '/rules/{id}/pause',
  summary: 'Pause a rule',
  description: 'Events of a paused rule start nothing, also after it is resumed.',
  async handle({ params: { id }, org, key, actor, requestId, ip, db }) {
    const doer = actorOfCall({ org, key, actor, requestId, ip })
    return await db.transaction(async (tx) =>
      present(await manage.setState(tx, doer, await mustFind(rows.lock(tx, org.id, id), 'rule'), 'paused')),
    )
  },
})

export const resume = route({
  ...oneState,
  path: '/rules/{id}/resume',
  summary: 'Resume a rule',
  description: 'New events start the action again. The caller also needs the scope of the action.',
  problems: ['not_found', 'forbidden'],
  async handle({ params: { id }, org, key, actor, requestId, ip, db }) {
    const doer = actorOfCall({ org, key, actor, requestId, ip })
    return await db.transaction(async (tx) =>
      present(await manage.setState(tx, doer, await mustFind(rows.lock(tx, org.id, id), 'rule'), 'enabled')),
    )
  },
})
