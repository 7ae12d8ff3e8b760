import { z } from 'zod'
import { badRequest, type Fault, Problem } from '#lib/errors.ts'
import { mapInTurns } from '#lib/turns.ts'
import { acceptMessages } from '#tasks/email/rules/accept-messages.ts'
import { listRecipients } from '#tasks/email/rules/draft-messages.ts'
import { parseWithFaults } from '../http/request/issues.ts'
import { checkText } from '../http/request/json.ts'
import { route } from '../http/route.ts'
import { line } from './fields.ts'
import { Accepted, prerender, toMessageRequest, toSendResponse } from './messages/accepting.ts'
import { BatchMessage, type MessageBody, messageBodyLimit } from './messages/body.ts'
import { createLimitProblem } from './messages/refusals.ts'

const mostMessages = 100

const mostRecipients = 1_000

/**
 * Maximum number of concurrent batches per process, and per organisation. Bodies are large, and each batch uses a
 * connection.
 */
const atOnce = { requests: 8, ofOne: 4 }

/** Schema for the documentation only. Each message is validated separately, so that each message has its own error. */
const Given = z.unknown().meta(described())

function described(): Record<string, unknown> {
  const { $schema: _, properties = {}, ...rest } = z.toJSONSchema(BatchMessage, { io: 'input', unrepresentable: 'any' })
  const { idempotency_key: __, ...own } = properties
  return { ...rest, properties: own }
}

const Refused = z.object({
  accepted: z.literal(false),
  index: z.int(),
  error: z.object({
    code: z.string(),
    message: z.string(),
    details: z.unknown().optional().describe('Same as for a single message. For `bad_request`, the invalid fields.'),
  }),
})

export const create = route({
  method: 'POST',
  path: '/messages/batch',
  summary: 'Queue up to 100 messages',
  description:
    'Each message is accepted or rejected separately. The results are in the order of `messages`. The accepted messages are stored together. The idempotency key applies to the batch: a repeated request returns the first response.',
  scope: 'email:send',
  testKeys: 'sandbox',
  locks: ['from_domains'],
  bodyLimit: messageBodyLimit,
  itemsApart: 'messages',
  atOnce,
  body: z.strictObject({
    messages: z.array(Given).min(1).max(mostMessages),
    idempotency_key: line(255).min(1).optional().describe('Same as the `Idempotency-Key` header'),
  }),
  idempotent: { field: 'idempotency_key' },
  status: 202,
  reply: z.object({
    accepted: z.int().describe('Number of accepted messages, including suppressed ones'),
    refused: z.int(),
    data: z
      .array(z.discriminatedUnion('accepted', [Accepted.extend({ index: z.int() }), Refused]))
      .describe('One result per message, in the order of `messages`'),
  }),
  example: {
    body: {
      messages: ['ann', 'bob'].map((name) => ({
        stream: 'transactional',
        from: { email: 'orders@example.com' },
        to: `${name}@example.net`,
        subject: 'Your order',
        text: 'It is on its way.',
      })),
    },
  },
  // Runs outside the transaction, because reading a large batch takes a while.
  async prepare({ body, org, key, services, db }) {
    const read = await mapInTurns(body.messages, readMessage)
    const recipients = read.reduce((sum, one) => sum + ('body' in one ? listRecipients(one.body).length : 0), 0)
    if (recipients <= mostRecipients) {
      const sound = read.flatMap((one) => ('body' in one ? [one.body] : []))
      const requests = sound.map((body) => toMessageRequest({ org, key, body, services }))
      return { read, requests: await prerender(db, requests) }
    }
    const issue = `must have at most ${mostRecipients} recipients in total, but has ${recipients}`
    throw badRequest([{ field: 'body.messages', issue }])
  },
  async handle({ org, prepared: { read, requests }, db }) {
    const taken = await acceptMessages(db, requests)
    const limit = taken.some((one) => 'overCap' in one) ? await createLimitProblem(db, org.id) : undefined
    const answers = taken.map((one) => toSendResponse(one, limit))
    const data = read.map((one, index) => {
      const answer = 'body' in one ? (answers.shift() as (typeof answers)[number]) : badRequest(one.faults)
      return answer instanceof Problem ? refusedAt(index, answer) : { ...answer, index }
    })
    const accepted = data.filter((one) => one.accepted).length
    return { accepted, refused: data.length - accepted, data }
  },
})

function readMessage(given: unknown, index: number): { body: MessageBody } | { faults: Fault[] } {
  const faults: Fault[] = []
  const place = `body.messages.${index}`
  checkText(given, place, faults)
  const body = parseWithFaults(BatchMessage, given, place, faults)
  return faults.length > 0 ? { faults } : { body: body as MessageBody }
}

/** Returns an error whose fields include the index of the message in the batch. */
function refusedAt(index: number, { code, message, details }: Problem) {
  if (code !== 'bad_request' || !Array.isArray(details))
    return { accepted: false as const, index, error: { code, message, details } }
  const placed = (field: string) =>
    field.startsWith('body.') && !field.startsWith('body.messages.')
      ? `body.messages.${index}${field.slice('body'.length)}`
      : field
  const named = details.map(({ field, issue }: Fault) => ({ field: placed(field), issue }))
  const sentence = named.map(({ field, issue }) => `${field}: ${issue}`).join('; ')
  return { accepted: false as const, index, error: { code, message: sentence, details: named } }
}
