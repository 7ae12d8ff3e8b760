import { z } from 'zod'
import { notFound, Problem } from '#lib/errors.ts'
import { PhoneNumber } from '#lib/phone-number.ts'
import type { Caller } from '#sql/account/keys.ts'
import { findRecord } from '#sql/account/test-messages.ts'
import type { Db } from '#sql/db.ts'
import * as numbers from '#sql/whatsapp/business-numbers.ts'
import * as conversations from '#sql/whatsapp/conversations.ts'
import * as mediaRows from '#sql/whatsapp/media.ts'
import * as rows from '#sql/whatsapp/messages.ts'
import * as known from '#sql/whatsapp/number-contacts.ts'
import * as statuses from '#sql/whatsapp/statuses.ts'
import { findReachedBudget } from '#tasks/account/rules/budget-reached.ts'
import { type AcceptedMessage, acceptMessages, type MessageRequest } from '#tasks/whatsapp/rules/accept-messages.ts'
import { optedOut, toRejection } from '#tasks/whatsapp/rules/error-table.ts'
import { storeTestMessages } from '#tasks/whatsapp/rules/test-messages.ts'
import { send as sendTask } from '#tasks/whatsapp/send.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { ownBudget } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { completeReply } from '../http/stored-reply.ts'
import { checkFiles } from './check-files.ts'
import { checkTemplate } from './check-template.ts'
import { columnsOf, getContentType, MessageForm, TemplateMessageForm } from './message-form.ts'
import { Media, Message, present, presentMedia, Status, Window } from './present.ts'
import { outsideWindow, sendProblems, templateProblems, toSendProblem } from './refusals.ts'
import { notConfigured, settings } from './settings.ts'
import { waitForWhatsapp } from './settle-sent.ts'

const SentMessage = Message.pick({
  id: true,
  provider_message_id: true,
  to: true,
  wa_id: true,
  type: true,
  status: true,
  error: true,
  fallback: true,
  client_reference: true,
  send_at: true,
  created_at: true,
  sandbox: true,
})
  .extend({ window: Window })
  .meta({ id: 'whatsapp.Sent' })

const sending = {
  method: 'POST',
  scope: 'whatsapp:send',
  idempotent: true,
  enqueues: sendTask,
  status: 200,
  reply: SentMessage,
  problems: [...sendProblems, ...templateProblems, ownBudget],
  settlesRepeats: true,
} as const

export const send = groupedRoute({
  ...sending,
  path: '/send',
  testKeys: 'sandbox',
  locks: ['tenant_id'],
  summary: 'Send a free-form message',
  description:
    'The recipient must have written within the last 24 hours. Otherwise only the `fallback_template` is sent, or nothing. Returns when WhatsApp has accepted the message, or immediately with `queued` if the message will be sent later because messages to one recipient are paced.',
  body: MessageForm,
  example: { body: { to: '+3725550123', text: 'Your order is on its way.' } },
  async commit(tx, calls) {
    return await commit(
      tx,
      calls.map(({ org, key, body, services }) => ({
        ...services(settings),
        key,
        testKeyId: testKeyIdOf(key),
        template: body.fallback_template,
        field: 'body.fallback_template',
        contentField: `body.${getContentType(body)}`,
        wanted: {
          ...columnsOf(body),
          org_id: org.id,
        },
      })),
    )
  },
  settle: (reply, { db, services }) => waitForWhatsapp(reply, db, services),
})

export const sendTemplate = groupedRoute({
  ...sending,
  path: '/send-template',
  testKeys: 'sandbox',
  locks: ['tenant_id'],
  summary: 'Send a template message',
  description:
    'Sends an approved template in one of its languages, with the values of its variables. Templates can be sent at any time, to any recipient.',
  body: TemplateMessageForm,
  example: {
    body: {
      to: '+3725550123',
      template: {
        name: 'order_shipped',
        language: { code: 'en' },
        components: [{ type: 'body', parameters: [{ type: 'text', text: '1042' }] }],
      },
    },
  },
  async commit(tx, calls) {
    return await commit(
      tx,
      calls.map(({ org, key, body: { to, template, ...columns }, services }) => ({
        ...services(settings),
        key,
        testKeyId: testKeyIdOf(key),
        template,
        field: 'body.template',
        contentField: 'body.template',
        wanted: {
          ...columns,
          org_id: org.id,
          phone: to,
          type: 'template',
          content: template,
        },
      })),
    )
  },
  settle: (reply, { db, services }) => waitForWhatsapp(reply, db, services),
})

const testKeyIdOf = ({ id, mode }: Caller['key']) => (mode === 'test' ? id : undefined)

interface SendRequest {
  key: Caller['key']
  /** ID of the test key, if a test key sends the message. Its messages go only to the test inbox. */
  testKeyId: string | undefined
  phoneNumberId: string | undefined
  accountId: string | undefined
  template: z.infer<typeof TemplateMessageForm>['template'] | undefined
  field: string
  contentField: string
  wanted: MessageRequest
}

async function commit(tx: Db, asked: readonly SendRequest[]): Promise<(z.input<typeof SentMessage> | Problem)[]> {
  const refused = new Map<SendRequest, Problem>()
  const own = await numbers.findByOrgs(
    tx,
    asked.map(({ wanted }) => wanted.org_id),
  )
  for (const one of asked) {
    const number = own.get(one.wanted.org_id)
    const isSet = number !== undefined || one.phoneNumberId !== undefined || one.testKeyId !== undefined
    const accountId = number?.account_id ?? one.accountId
    const refusal = isSet
      ? ((await checkFiles(tx, one)) ?? (await checkTemplate(tx, { ...one, accountId })))
      : notConfigured(notConfigured.when)
    if (refusal) refused.set(one, refusal)
  }
  const answers = new Map<SendRequest, z.input<typeof SentMessage> | Problem>()
  await answerTests(
    tx,
    asked.filter((one) => !refused.has(one)),
    answers,
  )
  const allowed = asked.filter((one) => !refused.has(one) && one.testKeyId === undefined)
  const accepted = await acceptMessages(
    tx,
    allowed.map(({ wanted }) => wanted),
  )
  for (const [i, one] of allowed.entries()) {
    const came = accepted[i] as AcceptedMessage
    const overBudget = 'overBudget' in came
    answers.set(one, overBudget ? await findReachedBudget(tx, one.wanted.org_id, 'whatsapp.messages') : answerOf(came))
  }
  return asked.map((one) => refused.get(one) ?? (answers.get(one) as z.input<typeof SentMessage> | Problem))
}

async function answerTests(
  tx: Db,
  allowed: readonly SendRequest[],
  answers: Map<SendRequest, z.input<typeof SentMessage> | Problem>,
): Promise<void> {
  const tried = allowed.flatMap((one) => (one.testKeyId === undefined ? [] : [{ one, keyId: one.testKeyId }]))
  const records = await storeTestMessages(
    tx,
    tried.map(({ one: { wanted: message }, keyId }) => ({ keyId, message })),
  )
  for (const [i, { one }] of tried.entries()) answers.set(one, records[i] as z.input<typeof SentMessage>)
}

function answerOf(accepted: Exclude<AcceptedMessage, { overBudget: true }>): z.input<typeof SentMessage> | Problem {
  if ('closed' in accepted) {
    const { last_inbound_at } = accepted.closed
    return outsideWindow(outsideWindow.when, {
      last_inbound_at: last_inbound_at?.toISOString() ?? null,
      hint: 'POST /v1/whatsapp/send-template',
    })
  }
  if ('tooFast' in accepted) {
    const { retryAfter } = accepted.tooFast
    return new Problem(429, 'rate_limited', 'Too many messages to this recipient are waiting. Try again later.', {
      retryAfter,
    })
  }
  if ('optedOut' in accepted) return toSendProblem(toRejection(optedOut))
  const { message, window } = accepted
  return {
    id: message.id,
    provider_message_id: null,
    to: message.phone,
    wa_id: message.wa_id,
    type: message.type,
    status: 'queued',
    error: null,
    fallback: message.fell_back ?? false,
    window,
    client_reference: message.client_reference ?? null,
    send_at: message.send_at,
    created_at: message.created_at,
  }
}

export const list = listRoute({
  path: '/messages',
  summary: 'List messages, newest first',
  description: 'Returns sent messages, and replies from people to whom the organisation wrote.',
  scope: 'whatsapp:read',
  filters: rows.filters,
  query: {
    direction: z.enum(['outbound', 'inbound']).optional(),
    status: Status.optional(),
    phone: PhoneNumber.optional().describe(
      'Phone number of the person, in E.164 format. Encode `+` as `%2B` in the URL.',
    ),
  },
  item: Message,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

const StatusView = z.object({
  status: z.string(),
  at: Instant.describe('Time of the status, from WhatsApp'),
  error: Message.shape.error,
})

const ReadMessage = Message.extend({
  window: Window,
  statuses: z.array(StatusView),
  media: Media.optional().describe('File that the person sent'),
})

export const read = route({
  method: 'GET',
  path: '/messages/{id}',
  summary: 'Read a message and its status history',
  description: 'Returns the message with each status that WhatsApp has reported for it.',
  scope: 'whatsapp:read',
  testKeys: 'sandbox',
  params: z.object({ id: pathId('message') }),
  status: 200,
  reply: ReadMessage,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const tested = await findRecord(db, org.id, 'whatsapp', params.id)
    if (tested) return completeReply(ReadMessage, tested)
    if (key.mode === 'test') throw notFound('message')
    const message = await mustFind(rows.find(db, org.id, params.id), 'message')
    const contact = (await known.findMany(db, [message]))(message)
    const lastInboundAt = known.getLastInbound(message, contact, await conversations.lastInbound(db, message))
    const file = message.direction === 'inbound' ? await mediaRows.find(db, message.id) : null
    return {
      ...present(message),
      window: conversations.getReportedWindow(contact, lastInboundAt),
      statuses: [...(await statuses.listForMessage(db, message.id))],
      ...(file && { media: presentMedia(file) }),
    }
  },
})
