import { z } from 'zod'
import { badRequest, notFound, type Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { PhoneNumber } from '#lib/phone-number.ts'
import { secretIf } from '#lib/secret-fields.ts'
import { findRecord } from '#sql/account/test-messages.ts'
import type { Db } from '#sql/db.ts'
import * as rows from '#sql/sms/messages.ts'
import * as statuses from '#sql/sms/statuses.ts'
import { findReachedBudget } from '#tasks/account/rules/budget-reached.ts'
import { deliver } from '#tasks/sms/deliver.ts'
import { type AcceptedMessage, acceptMessages, type MessageRequest } from '#tasks/sms/rules/accept-messages.ts'
import { countSegments, maxSegments } from '#tasks/sms/rules/segments.ts'
import { storeTestMessages } from '#tasks/sms/rules/test-messages.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { ownBudget } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { completeReply } from '../http/stored-reply.ts'
import { ClientReference, Sender, Text } from './fields.ts'
import { Message, present, Status, StatusView } from './present.ts'
import { findRefusal, refusals } from './refusals.ts'

const MessageForm = z.strictObject({
  to: PhoneNumber.describe('Recipient in E.164 format'),
  text: secretIf(
    Text.refine(
      (text) => countSegments(text).segments <= maxSegments,
      `must have at most ${maxSegments} segments: 1,530 characters of the GSM alphabet, or 670 other characters`,
    ),
    'sensitive',
  ).describe('Text of up to 10 segments'),
  from: Sender.optional().describe('Sender. Default: the sender of the connection.'),
  provider_id: Id.optional().describe('Connection that sends the message. Default: your default connection.'),
  client_reference: ClientReference.optional(),
  sensitive: z
    .boolean()
    .optional()
    .describe(
      'True if the text contains a secret, such as a code. The text is never shown, and deleted after delivery.',
    ),
})

interface SendRequest {
  testKeyId: string | undefined
  wanted: MessageRequest
}

export const create = groupedRoute({
  method: 'POST',
  path: '/messages',
  summary: 'Send a text message',
  description:
    'Queues the message and returns at once. The status follows by webhook. People who sent STOP, and countries that you have not allowed, are rejected.',
  tool: { name: 'send_sms', reachesOut: true },
  scope: 'sms:send',
  idempotent: true,
  enqueues: deliver,
  testKeys: 'sandbox',
  locks: ['tenant_id'],
  body: MessageForm,
  example: { body: { to: '+3725550123', text: 'Your order is ready. Reply STOP to opt out.' } },
  status: 200,
  reply: Message,
  problems: [...refusals, ownBudget],
  async commit(tx, calls) {
    return await commit(
      tx,
      calls.map(({ org, key, body: { to, from, sensitive, ...columns } }) => ({
        testKeyId: key.mode === 'test' ? key.id : undefined,
        wanted: {
          ...columns,
          ...{ org_id: org.id, key_id: key.id, phone: to, sender: from ?? null, is_sensitive: sensitive ?? false },
        },
      })),
    )
  },
})

type Answer = z.input<typeof Message> | Problem

async function commit(tx: Db, asked: readonly SendRequest[]): Promise<Answer[]> {
  const tried = asked.flatMap((one) => (one.testKeyId === undefined ? [] : [{ one, keyId: one.testKeyId }]))
  const records = await storeTestMessages(
    tx,
    tried.map(({ one: { wanted: message }, keyId }) => ({ keyId, message })),
  )
  const live = asked.filter(({ testKeyId }) => testKeyId === undefined)
  const accepted = await acceptMessages(
    tx,
    live.map(({ wanted }) => wanted),
  )
  const answers = new Map<SendRequest, Answer>()
  for (const [i, { one }] of tried.entries()) answers.set(one, records[i] as z.input<typeof Message>)
  for (const [i, one] of live.entries()) answers.set(one, await answerOf(tx, one, accepted[i] as AcceptedMessage))
  return asked.map((one) => answers.get(one) as Answer)
}

async function answerOf(tx: Db, { wanted }: SendRequest, came: AcceptedMessage): Promise<Answer> {
  if ('message' in came) return present(came.message)
  if ('overBudget' in came) return await findReachedBudget(tx, wanted.org_id, 'sms.segments')
  const { code, message } = came.refused
  if (code === 'unknown_provider')
    return badRequest([{ field: 'body.provider_id', issue: 'is not one of your connections' }])
  return findRefusal(code, message)
}

export const list = listRoute({
  path: '/messages',
  summary: 'List messages, newest first',
  description: 'Returns sent and received text messages.',
  scope: 'sms:read',
  filters: rows.filters,
  query: {
    direction: z.enum(['outbound', 'inbound']).optional(),
    status: Status.optional(),
    phone: PhoneNumber.optional().describe(
      'Phone number of the person, in E.164 format. Encode `+` as `%2B` in the URL.',
    ),
    provider_id: Id.optional(),
    client_reference: ClientReference.optional(),
  },
  item: Message,
  rows: ({ org, db }, page) => rows.list(db, org.id, page),
  present,
})

const ReadMessage = Message.extend({ statuses: z.array(StatusView) })

export const read = route({
  method: 'GET',
  path: '/messages/{id}',
  summary: 'Read a message and its status history',
  description: 'Returns the message with each status that the provider has reported.',
  tool: { name: 'get_sms', outsideText: true },
  scope: 'sms:read',
  testKeys: 'sandbox',
  params: z.object({ id: pathId('message') }),
  status: 200,
  reply: ReadMessage,
  problems: ['not_found'],
  async handle({ params, org, key, db }) {
    const tested = await findRecord(db, org.id, 'sms', params.id)
    if (tested) return completeReply(ReadMessage, tested)
    if (key.mode === 'test') throw notFound('message')
    const message = await mustFind(rows.find(db, org.id, params.id), 'message')
    return { ...present(message), statuses: [...(await statuses.listForMessage(db, message.id))] }
  },
})
