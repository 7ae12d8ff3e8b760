import { z } from 'zod'
import { publicUrl } from '#lib/config.ts'
import { Address } from '#lib/email-address.ts'
import { badRequest, type Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Caller } from '#sql/account/keys.ts'
import * as attempts from '#sql/email/attempts.ts'
import * as rows from '#sql/email/messages.ts'
import { type AcceptResult, acceptMessages, type MessageRequest } from '#tasks/email/rules/accept-messages.ts'
import { confirmUrl, unsubscribeUrl } from '#tasks/email/rules/unsubscribe-link.ts'
import type { Services } from '../http/container.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { MessageBody, messageBodyLimit } from './message-body.ts'
import { outcomeWatch, waitOf } from './outcome-watch.ts'
import { Message, Summary, summarize } from './present-message.ts'
import { limitReached, overCap, refusal, refusals } from './refusals.ts'
import { isSandbox, sandboxFull, sandboxLimit } from './sandbox.ts'

/** Seconds that `Prefer: wait` may ask for. */
const maxWait = 30

const Answer = z
  .object({
    accepted: z.literal(true),
    stream: rows.Stream,
    id: Id,
    status: rows.Status.describe(
      '`queued`, `suppressed`, of a sandbox key `sent`; after a wait, what became of it by then',
    ),
    message_id: z.string().describe('Message-ID, without its brackets'),
  })
  .meta({ id: 'email.Accepted' })

/** Records a message and has it delivered. */
export const create = groupedRoute({
  method: 'POST',
  path: '/messages',
  summary: 'Queue one message',
  description:
    'Answers at once, or, with the header `Prefer: wait=10` (seconds, up to 30), when its outcome is known. Nothing is sent twice to ' +
    'a request that is repeated with the same idempotency key.',
  scope: 'email:send',
  bodyLimit: messageBodyLimit,
  body: MessageBody,
  idempotent: { field: 'idempotency_key' },
  status: 202,
  reply: Answer,
  headers: { 'preference-applied': 'How long the answer waited at most (RFC 7240 §3)' },
  problems: [...refusals, overCap, sandboxLimit],
  example: {
    body: {
      stream: 'transactional',
      from: { email: 'orders@example.com', name: 'Example' },
      to: 'ann@example.net',
      subject: 'Your order 1042',
      html: '<p>It is on its way.</p>',
    },
  },
  async commit(tx, calls) {
    const accepted = await acceptMessages(tx, calls.map(wantedOf))
    const over = new Set(accepted.flatMap((one, i) => ('overCap' in one ? (calls[i] as SendRequest).org.id : [])))
    const limits = new Map<string, Problem>()
    for (const orgId of over) limits.set(orgId, await limitReached(tx, orgId))
    return accepted.map((one, i) => answerOf(one, limits.get((calls[i] as SendRequest).org.id)))
  },
  async settle(reply, { header, set, services }) {
    const seconds = waitOf(header('prefer'), maxWait)
    if (seconds === undefined) return undefined
    set('preference-applied', `wait=${seconds}`)
    if (reply.status !== 'queued') return undefined
    return { ...reply, status: await services(outcomeWatch).wait(reply.id, seconds * 1000) }
  },
})

type SendRequest = Pick<Caller, 'org' | 'key' | 'plan'> & { body: MessageBody; services: Services }

function wantedOf({ org, key, body, services }: SendRequest): MessageRequest {
  const { stream, from, to, subject, html, text, variables, headers, attachments } = body
  return {
    orgId: org.id,
    keyId: key.id,
    sandbox: isSandbox(key),
    fromDomains: key.locks.from_domains,
    stream,
    from,
    to,
    subject,
    html,
    text,
    variables,
    headers,
    attachments,
    templateId: body.template_id,
    replyTo: body.reply_to,
    confirmUrl: (id) => confirmUrl(publicUrl(), id, services(signingSecret)),
    unsubscribeUrl: (id) => unsubscribeUrl(publicUrl(), id, services(signingSecret)),
  }
}

function answerOf(one: AcceptResult, limit: Problem | undefined): z.input<typeof Answer> | Problem {
  if ('refusal' in one) return refusal(one.refusal)
  if ('faults' in one) return badRequest(one.faults)
  if ('sandboxFull' in one) return sandboxFull()
  if ('overCap' in one) return limit as Problem
  const { id, stream, status, message_id } = one.message
  return { accepted: true, stream, id, status, message_id }
}

/** Messages, newest first. */
export const list = listRoute({
  path: '/messages',
  summary: 'List messages, newest first',
  scope: 'email:send',
  filter: {
    status: rows.Status.optional(),
    stream: rows.Stream.optional(),
    to: Address.optional(),
    campaign_id: Id.optional(),
  },
  item: Summary,
  rows: ({ query: { status, stream, to, campaign_id }, org, db }, page) =>
    rows.list(db, org.id, { ...page, status, stream, to, campaignId: campaign_id }),
  present: summarize,
})

/** One message with its delivery route. */
export const read = route({
  method: 'GET',
  path: '/messages/{id}',
  summary: 'Read a message and its delivery route',
  scope: 'email:send',
  params: z.object({ id: pathId('message') }),
  status: 200,
  reply: Message,
  problems: ['not_found'],
  async handle({ params, org, db }) {
    const message = await mustFind(rows.find(db, org.id, params.id), 'message')
    return { ...summarize(message), route: [...(await attempts.list(db, org.id, message.id))] }
  },
})
