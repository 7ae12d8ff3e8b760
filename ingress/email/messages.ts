import { z } from 'zod'
import { Address } from '#lib/email-address.ts'
import type { Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { InstantInput } from '#lib/input-types.ts'
import type { Db } from '#sql/db.ts'
import * as attempts from '#sql/email/delivery/attempts.ts'
import * as engagements from '#sql/email/engagements.ts'
import { filters, list as listRows } from '#sql/email/message-list.ts'
import * as rows from '#sql/email/messages.ts'
import { acceptMessages, type MessageRequest } from '#tasks/email/rules/accept-messages.ts'
import { cancelMessage } from '#tasks/email/rules/cancel-message.ts'
import { findWaiting } from '#tasks/email/rules/waiting.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { Accepted, prerender, type SendCall, toMessageRequest, toSendResponse } from './messages/accepting.ts'
import { MessageBody, messageBodyLimit, tagPart } from './messages/body.ts'
import { outcomeWatch, parseWaitSeconds } from './messages/outcome-watch.ts'
import { Message, present, Summary, summarize } from './messages/present.ts'
import { filterByReach, getReach } from './messages/reach.ts'
import { createLimitProblem, monthlyLimitKind, refusals } from './messages/refusals.ts'
import { sandboxLimit } from './messages/sandbox.ts'

const maxWait = 30

export const create = groupedRoute({
  method: 'POST',
  path: '/messages',
  summary: 'Queue a message',
  description:
    'Returns immediately. With the header `Prefer: wait=10` (seconds, up to 30), waits for the outcome. Repeating a request with the same idempotency key sends nothing twice. Each recipient in `cc` and `bcc` gets a separate message, with its own status, suppression and events. Each copy counts as one message.',
  tool: {
    name: 'send_email',
    reachesOut: true,
    only: [
      'stream',
      'from',
      'to',
      'cc',
      'bcc',
      'reply_to',
      'subject',
      'text',
      'html',
      'template_id',
      'template',
      'variables',
      'send_at',
      'tags',
      'metadata',
      'topic',
      'idempotency_key',
    ],
  },
  scope: 'email:send',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  bodyLimit: messageBodyLimit,
  body: MessageBody,
  idempotent: { field: 'idempotency_key' },
  status: 202,
  reply: Accepted,
  headers: { 'preference-applied': 'Maximum waiting time that was applied (RFC 7240 §3)' },
  problems: [...refusals, monthlyLimitKind, sandboxLimit],
  example: {
    body: {
      stream: 'transactional',
      from: { email: 'orders@example.com', name: 'Example' },
      to: 'ann@example.net',
      subject: 'Your order 1042',
      html: '<p>It is on its way.</p>',
    },
  },
  async prepare({ db, ...call }) {
    const [request] = await prerender(db, [toMessageRequest(call)])
    return request as MessageRequest
  },
  async commit(tx, calls) {
    const accepted = await acceptMessages(
      tx,
      calls.map(({ prepared }) => prepared),
    )
    const over = new Set(accepted.flatMap((one, i) => ('overCap' in one ? (calls[i] as SendCall).org.id : [])))
    const limits = new Map<string, Problem>()
    for (const orgId of over) limits.set(orgId, await createLimitProblem(tx, orgId))
    return accepted.map((one, i) => toSendResponse(one, limits.get((calls[i] as SendCall).org.id)))
  },
  async settle(reply, { header, set, services }) {
    const seconds = parseWaitSeconds(header('prefer'), maxWait)
    if (seconds === undefined) return undefined
    set('preference-applied', `wait=${seconds}`)
    if (reply.status !== 'queued') return undefined
    return { ...reply, status: await services(outcomeWatch).wait(reply.id, seconds * 1000) }
  },
})

export const TagFilter = z
  .string()
  .max(513)
  .transform((text, context) => {
    const at = text.indexOf(':')
    const name = at < 0 ? text : text.slice(0, at)
    const value = at < 0 ? undefined : text.slice(at + 1)
    if ([name, value ?? name].every((part) => tagPart.safeParse(part).success)) return { name, value }
    const message = 'must be a tag name or name:value, with letters, digits, _ and -'
    context.issues.push({ code: 'custom', message, input: text })
    return z.NEVER
  })
  .describe('Tag to filter by: `name` or `name:value`')

export const list = listRoute({
  path: '/messages',
  summary: 'List messages, newest first',
  description: 'Returns messages without their content. You can combine filters.',
  tool: {
    name: 'list_emails',
    description: 'Newest first. For bounces, set `status` to `bounced`.',
    outsideText: true,
  },
  scope: 'email:send',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  filters,
  otherParams: ['tag'],
  query: {
    status: rows.Status.optional(),
    stream: rows.Stream.optional(),
    to: Address.optional(),
    campaign_id: Id.optional(),
    from: Address.optional(),
    tag: TagFilter.optional(),
    since: InstantInput.optional().describe('Only messages accepted at this time or later'),
    until: InstantInput.optional().describe('Only messages accepted before this time'),
    scheduled: z.enum(['true']).optional().describe('Only messages with `send_at`'),
  },
  item: Summary,
  rows: ({ query: { tag }, org, key, db }, page) => listRows(db, org.id, { ...page, reach: getReach(key), tag }),
  present: summarize,
})

const oneMessage = {
  scope: 'email:send',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  params: z.object({ id: pathId('message') }),
  status: 200,
  reply: Message,
} as const

export const read = route({
  method: 'GET',
  path: '/messages/{id}',
  summary: 'Read a message and its delivery route',
  description:
    'Returns the status of the message and its delivery route: each attempt with the response of the receiving server.',
  tool: { name: 'get_email', outsideText: true },
  ...oneMessage,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const message = await mustFind(filterByReach(key, rows.find(db, org.id, params.id)), 'message')
    return await presentWhole(db, message)
  },
})

const presentWhole = async (db: Db, message: rows.Message) =>
  present(
    message,
    await rows.listCopies(db, message.org_id, message.id),
    await attempts.list(db, message.org_id, message.id),
    await findWaiting(db, message),
    await engagements.list(db, message.org_id, message.id),
  )

const hasLeft = problem(409, 'message_left', 'The message was sent, is being sent, or has a final status.')

export const cancel = route({
  method: 'POST',
  path: '/messages/{id}/cancel',
  repeatable: true,
  summary: 'Cancel an unsent message',
  description:
    'Cancels a message that is scheduled or waiting for delivery, and its copies. `copies` contains the result for each copy. A message is either sent or cancelled, never both. A message cannot be cancelled while it is being sent. You can repeat this call.',
  tool: { name: 'cancel_email', destructive: true },
  ...oneMessage,
  problems: ['not_found', hasLeft],
  async handle({ params, org, key, db }) {
    return await db.transaction(async (tx) => {
      const before = await mustFind(filterByReach(key, rows.find(tx, org.id, params.id)), 'message')
      const cancelled = await cancelMessage(tx, org.id, before.id)
      const message = await mustFind(rows.find(tx, org.id, before.id), 'message')
      if (cancelled === 0 && message.status !== 'cancelled')
        throw hasLeft(`The message is ${message.status} and can no longer be cancelled.`, { status: message.status })
      return await presentWhole(tx, message)
    })
  },
})
