import { z } from 'zod'
import { badRequest, notFound } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { secret } from '#lib/secret-fields.ts'
import * as calls from '#sql/bots/action-calls.ts'
import * as rows from '#sql/bots/actions.ts'
import * as bots from '#sql/bots/bots.ts'
import { mostAnswerBytes, mostCalls } from '#tasks/ai/rules/chat-actions.ts'
import { createSecret } from '#tasks/webhooks/rules/secrets.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { EndpointUrl } from '../webhooks/schemas.ts'
import { ActionName, ActionParameters, Triggers } from './action-fields.ts'
import { botParams, text } from './fields.ts'

export const mostActions = 10

const Action = z
  .object({
    id: Id,
    bot_id: Id,
    name: z.string(),
    description: z.string(),
    url: z.string(),
    parameters: rows.Parameters,
    triggers: z.array(z.string()),
    enabled: z.boolean(),
    last_call: z
      .object({ status: calls.CallStatus, error: z.string().nullable(), created_at: Instant })
      .nullable()
      .describe('`null` if the action was never called'),
    created_at: Instant,
  })
  .meta({ id: 'bots.Action' })

const WithSecret = Action.extend({
  secret: secret(z.string()).describe('Secret that signs the requests. Returned only in this response.'),
}).meta({ id: 'bots.ActionWithSecret' })

const ofAction = botParams.extend({ actionId: pathId('action') })

function present({ called_at, called_status, called_error, ...action }: rows.Action): z.input<typeof Action> {
  const last_call =
    called_at && called_status ? { status: called_status, error: called_error, created_at: called_at } : null
  return { ...action, last_call }
}

const sealed = (services: Services, id: string, secret: string): string =>
  createSeal(services(signingSecret), rows.sealPurpose).close(secret, id)

const fields = z.strictObject({
  name: ActionName,
  description: text(1_000).describe('Purpose of the action and when to call it. The model reads this text.'),
  url: EndpointUrl,
  parameters: ActionParameters,
  triggers: Triggers,
  enabled: z.boolean(),
})

export const create = route({
  method: 'POST',
  path: '/{botId}/actions',
  summary: 'Create an action that calls your server',
  description: `Millrace sends a \`POST\` request to \`url\` with the arguments, signed like webhooks (Standard Webhooks 1.0). Actions are called only in conversations of your organisation. A model decides by \`description\` and \`parameters\`. The embedded engine calls the action if a message contains one of the \`triggers\` and no argument is required. An answer can make up to ${mostCalls} calls of up to ten seconds each. Your server can return up to ${mostAnswerBytes} bytes of JSON or text. A bot can have up to ${mostActions} actions. The secret is returned only in this response.`,
  scope: 'bots:write',
  params: botParams,
  body: fields.extend({
    parameters: ActionParameters.default({ type: 'object', properties: {}, required: [] }),
    triggers: Triggers.default([]),
    enabled: z.boolean().default(true),
  }),
  status: 200,
  reply: WithSecret,
  problems: ['not_found'],
  example: {
    body: {
      name: 'order_status',
      description:
        'Returns the status of an order. Call it when a customer wants to know where a parcel is and has given the order number.',
      url: 'https://shop.example.com/millrace/order-status',
      parameters: {
        type: 'object',
        properties: { order: { type: 'string' } },
        required: ['order'],
        additionalProperties: false,
      },
    },
  },
  async handle({ params: { botId }, body, org, db, services }) {
    const [id, secret] = [newId(), createSecret()]
    return await db.transaction(async (tx) => {
      await mustFind(bots.lock(tx, org.id, botId), 'bot')
      const others = await rows.listNames(tx, botId)
      requireFreeName(others, body.name)
      if (others.length >= mostActions)
        throw badRequest([
          { field: 'path.botId', issue: `cannot have more than ${mostActions} actions. Delete one first` },
        ])
      await rows.insert(tx, { id, bot_id: botId, ...body, secret: sealed(services, id, secret) })
      return { ...present(await mustFind(rows.find(tx, botId, id), 'action')), secret }
    })
  },
})

/** Throws 400 if another action has the name. The caller must hold the lock of the bot. */
function requireFreeName(others: Awaited<ReturnType<typeof rows.listNames>>, name: string, ownId?: string): void {
  if (others.some((other) => other.name === name && other.id !== ownId))
    throw badRequest([{ field: 'body.name', issue: 'must be unique: another action of the bot has this name' }])
}

export const list = listRoute({
  path: '/{botId}/actions',
  summary: 'List bot actions, newest first',
  description: 'Returns the HTTP calls that the bot can make, each with the result of its last call.',
  scope: 'bots:write',
  params: botParams,
  problems: ['not_found'],
  item: Action,
  async rows({ params: { botId }, org, db }, page) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.list(db, botId, page)
  },
  present,
})

export const read = route({
  method: 'GET',
  path: '/{botId}/actions/{actionId}',
  summary: 'Read a bot action',
  description: 'Returns the HTTP call that the bot can make, with its parameters and the result of its last call.',
  scope: 'bots:write',
  params: ofAction,
  status: 200,
  reply: Action,
  problems: ['not_found'],
  async handle({ params: { botId, actionId }, org, db }) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return present(await mustFind(rows.find(db, botId, actionId), 'action'))
  },
})

export const update = route({
  method: 'PATCH',
  path: '/{botId}/actions/{actionId}',
  summary: 'Update a bot action',
  description:
    'Applies from the next call, including calls for pending answers. With `enabled: false`, the action is no longer called.',
  scope: 'bots:write',
  idempotent: true,
  params: ofAction,
  body: fields.partial().refine((changes) => Object.keys(changes).length > 0, 'must contain at least one change'),
  status: 200,
  reply: Action,
  problems: ['not_found'],
  example: { body: { enabled: false } },
  async handle({ params: { botId, actionId }, body, org, db }) {
    await mustFind(bots.lock(db, org.id, botId), 'bot')
    if (body.name !== undefined) requireFreeName(await rows.listNames(db, botId), body.name, actionId)
    if (!(await rows.update(db, botId, actionId, body))) throw notFound('action')
    return present(await mustFind(rows.find(db, botId, actionId), 'action'))
  },
})

export const rotate = route({
  method: 'POST',
  path: '/{botId}/actions/{actionId}/rotate-secret',
  summary: 'Replace the secret of a bot action',
  description: 'Replaces the secret immediately. The previous secret is no longer used.',
  scope: 'bots:write',
  params: ofAction,
  body: z.strictObject({}),
  status: 200,
  reply: WithSecret,
  problems: ['not_found'],
  async handle({ params: { botId, actionId: id }, org, db, services }) {
    const secret = createSecret()
    return await db.transaction(async (tx) => {
      await mustFind(bots.lock(tx, org.id, botId), 'bot')
      if (!(await rows.update(tx, botId, id, { secret: sealed(services, id, secret) }))) throw notFound('action')
      return { ...present(await mustFind(rows.find(tx, botId, id), 'action')), secret }
    })
  },
})

export const remove = removeRoute({
  path: '/{botId}/actions/{actionId}',
  summary: 'Delete a bot action',
  description: 'Deletes the action and the list of its calls.',
  scope: 'bots:write',
  params: ofAction,
  what: 'action',
  remove: async ({ params: { botId, actionId: id }, org, db }) => {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    return await rows.remove(db, botId, id)
  },
})

const Call = z
  .object({
    id: Id,
    action_id: Id,
    conversation_id: Id,
    message_id: Id.describe('Answer that the call belongs to'),
    arguments: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('Arguments from the model. `null` if they are too long or not a JSON object of plain values.'),
    status: calls.CallStatus.describe(
      '`unknown`: the call is in progress, or the worker stopped before the response arrived.',
    ),
    http_status: z.int().nullable(),
    answer: z.string().nullable(),
    error: calls.CallError.nullable(),
    ms: z.int(),
    created_at: Instant,
  })
  .meta({ id: 'bots.ActionCall' })

export const listCalls = listRoute({
  path: '/{botId}/actions/{actionId}/calls',
  summary: 'List the calls of a bot action, newest first',
  description: 'Calls are stored for as long as the answers they belong to.',
  scope: 'bots:write',
  params: ofAction,
  problems: ['not_found'],
  item: Call,
  async rows({ params: { botId, actionId }, org, db }, page) {
    await mustFind(bots.find(db, org.id, botId), 'bot')
    await mustFind(rows.find(db, botId, actionId), 'action')
    return await calls.list(db, actionId, page)
  },
  present: (row) => row,
})
