import { z } from 'zod'
import { conflict } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import * as rows from '#sql/hooks/event-types.ts'
import { lockOrgLimit } from '#sql/org-limits.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { route } from '../http/route.ts'
import { record } from './audit.ts'
import { Description, EventTypeName, Label } from './fields.ts'
import { demandSchema, Payload, Schema } from './payload.ts'

/** Maximum number of event types of one organisation. */
const maxTypes = 1_000

const tooMany = problem(409, 'too_many_event_types', `An organisation can have up to ${maxTypes} event types.`)

const params = z.object({ name: z.string().max(100).describe('Name of the event type') })

const Json = z.record(z.string(), z.unknown())

const EventType = z
  .object({
    id: Id,
    name: z.string(),
    description: z.string().nullable(),
    feature_group: z.string().nullable().describe('Your own group of event types, such as `billing`'),
    schema: Json.nullable().describe('JSON Schema of the payload. `null`: every object is valid.'),
    example: Json.nullable().describe('Payload of test messages'),
    archived: z.boolean().describe('True if no more messages of this type are accepted'),
    created_at: Instant,
    updated_at: Instant,
  })
  .meta({ id: 'hooks.EventType' })

export const present = ({ org_id: _, archived_at, ...row }: rows.EventType): z.input<typeof EventType> => ({
  ...row,
  archived: archived_at !== null,
})

const fields = {
  description: Description.nullable(),
  feature_group: Label.nullable(),
  schema: Schema.nullable(),
  example: Payload.nullable(),
}

/** Returns the data for the audit log. A schema is too large for it, so only its time of change is there. */
const shown = ({ description, feature_group, archived_at, updated_at }: rows.EventType) => ({
  ...{ description, feature_group, archived: archived_at !== null, updated_at: updated_at.toISOString() },
})

export const create = route({
  method: 'POST',
  path: '/event-types',
  summary: 'Create an event type',
  description: 'Messages must have one of your event types. If the type has a schema, payloads must match it.',
  scope: 'hooks:write',
  body: z.strictObject({
    name: EventTypeName,
    description: fields.description.default(null),
    feature_group: fields.feature_group.default(null),
    schema: fields.schema.default(null),
    example: fields.example.default(null),
  }),
  status: 201,
  reply: EventType,
  problems: ['conflict', tooMany],
  example: {
    body: {
      name: 'invoice.paid',
      description: 'An invoice was paid.',
      schema: {
        type: 'object',
        properties: { invoice_id: { type: 'string' }, amount: { type: 'number', minimum: 0 } },
        required: ['invoice_id'],
      },
    },
  },
  async handle({ body, org, db, ...call }) {
    await demandSchema(org.id, body)
    const made = await db.transaction(async (tx) => {
      await lockOrgLimit(tx, org.id, 'hooks.event_types')
      if (await rows.hasMany(tx, org.id, maxTypes)) throw tooMany(tooMany.when)
      const made = await rows.insert(tx, { ...body, id: newId(), org_id: org.id, archived_at: null })
      if (made) await record(tx, { org, ...call }, { action: 'hooks.event_type.created', target: body.name })
      return made
    })
    if (!made) throw conflict(`The event type ${body.name} exists already. Update it instead.`)
    return present(made)
  },
})

export const list = listRoute({
  path: '/event-types',
  summary: 'List event types, newest first',
  description: 'Returns the event types of your organisation with their schemas.',
  scope: 'hooks:read',
  filters: rows.filters,
  query: {
    feature_group: Label.optional(),
    archived: z.stringbool().optional().describe('`true`: only archived types. `false`: only other types.'),
  },
  item: EventType,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

export const read = route({
  method: 'GET',
  path: '/event-types/{name}',
  summary: 'Read an event type',
  description: 'Returns an event type with its schema.',
  scope: 'hooks:read',
  params,
  status: 200,
  reply: EventType,
  problems: ['not_found'],
  handle: async ({ params, org, db }) => present(await mustFind(rows.find(db, org.id, params.name), 'event type')),
})

export const update = route({
  method: 'PATCH',
  path: '/event-types/{name}',
  summary: 'Update an event type',
  description: 'Omitted fields keep their values. A new schema applies to new messages.',
  scope: 'hooks:write',
  params,
  body: z.strictObject({
    description: fields.description.optional(),
    feature_group: fields.feature_group.optional(),
    schema: fields.schema.optional(),
    example: fields.example.optional(),
    archived: z.boolean().optional(),
  }),
  status: 200,
  reply: EventType,
  problems: ['not_found', 'conflict'],
  async handle({ params: { name }, body, org, db, ...call }) {
    const stored = await mustFind(rows.find(db, org.id, name), 'event type')
    const { schema: checked = stored.schema, example: wanted = stored.example } = body
    const isChecked = body.schema !== undefined || body.example !== undefined
    if (isChecked) await demandSchema(org.id, { schema: checked, example: wanted })
    return await db.transaction(async (tx) => {
      const before = await mustFind(rows.lock(tx, org.id, name), 'event type')
      if (isChecked && before.updated_at.getTime() !== stored.updated_at.getTime())
        throw conflict('Another request changed the event type at the same time. Send the request again.')
      const { schema, example } = isChecked ? { schema: checked, example: wanted } : before
      const { description = before.description, feature_group = before.feature_group, archived } = body
      const archived_at =
        archived === undefined ? before.archived_at : archived ? (before.archived_at ?? new Date()) : null
      const after = { description, feature_group, schema, example, archived_at }
      const changed = await rows.update(tx, before.id, after)
      const act = { action: 'hooks.event_type.changed', target: name, before: shown(before), after: shown(changed) }
      await record(tx, { org, ...call }, act)
      return present(changed)
    })
  },
})

export const remove = removeRoute({
  path: '/event-types/{name}',
  summary: 'Delete an event type',
  description: 'Messages of this type stay. New messages of this type are rejected.',
  scope: 'hooks:write',
  params,
  what: 'event type',
  reply: { name: z.string() },
  async remove({ params, org, db, ...call }) {
    const id = await rows.remove(db, org.id, params.name)
    if (id !== null) await record(db, { org, ...call }, { action: 'hooks.event_type.deleted', target: params.name })
    return id
  },
})
