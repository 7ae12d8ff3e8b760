import type { Context } from 'koa'
import { z } from 'zod'
import { Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as answers from '#sql/bots/answers.ts'
import * as conversations from '#sql/bots/conversations.ts'
import * as messages from '#sql/bots/messages.ts'
import * as versions from '#sql/bots/versions.ts'
import type { DatabasePool, Db } from '#sql/db.ts'
import { answer } from '#tasks/bots/answer.ts'
import { enqueue } from '#tasks/queue/enqueue.ts'
import type { Services } from '../http/container.ts'
import { formatEvent, openEventStream } from '../http/event-stream.ts'
import { mustFind } from '../http/must-find.ts'
import { noAnswerInTime } from '../http/problem-kinds.ts'
import { followedRoute } from '../http/route.ts'
import { stopping } from '../http/services.ts'
import { acceptMessage } from './accept.ts'
import { type AnswerFollowers, answerFollowers } from './answer-followers.ts'
import { botParams, text, UserId, Values } from './fields.ts'
import { Message, presentMessage } from './message.ts'
import { noAnswerProblems, toAnswerProblem } from './no-answer.ts'
import { presentTemplateRef } from './present.ts'

/** Timeouts in milliseconds of a plain and a streaming request. The answer is written even if the request times out. */
const [waitMs, streamMs] = [60_000, 300_000]

export const Answer = z
  .object({
    conversation_id: Id,
    message: Message.describe('The answer, or your own message if a person will answer'),
    handed_over: z.boolean().describe('True if a person will answer later instead of the bot'),
    finish_reason: z.enum(['stop', 'length', 'content_filter']).nullable(),
    engine: z.enum(['upstream', 'embedded']).nullable(),
    model: z.string().nullable(),
    usage: messages.Usage.nullable(),
    bot_version: z
      .int()
      .describe('Version of the bot with which the conversation started. It does not change during the conversation.'),
    template: z.object({ key: z.string(), version: z.int() }).nullable(),
  })
  .meta({ id: 'bots.Answer' })

export const create = followedRoute({
  method: 'POST',
  path: '/{botId}/chat',
  summary: 'Send a message to a bot',
  description:
    'Starts a conversation, or continues your conversation `conversation_id`. The message is stored before it is answered. If the answer fails (`502`) or takes too long (`504`), the message and the failed answer are stored. Repeat the request with the same `Idempotency-Key` to answer the same message again. If a person handles the conversation, the bot does not answer (`handed_over`). With `stream: true`, the response is a stream of server-sent events. The first is `message.created` (`conversation_id`, `message_id`), followed by `message.delta` (`text`) and `message.restarted` (discard the text so far). The last is `message.completed` (the complete answer) or `error`.',
  scope: 'bots:read',
  idempotent: true,
  enqueues: answer,
  streams: true,
  params: botParams,
  body: z.strictObject({
    message: text(8_000),
    conversation_id: Id.optional(),
    user_id: UserId.optional().describe(
      'Your ID for the person. To continue a conversation that was started with a `user_id`, send the same `user_id` or omit it.',
    ),
    variables: Values.optional().describe(
      'Values for placeholders that the bot’s owner left open. Allowed only with the first message.',
    ),
    stream: z.boolean().default(false),
    metadata: z
      .record(z.string().max(64), z.string().max(500))
      .refine((given) => Object.keys(given).length <= 16, 'must have at most 16 names')
      .optional()
      .describe('Your own values, stored with the message'),
  }),
  status: 200,
  reply: Answer,
  problems: ['not_found', 'conflict', 'server_error', noAnswerInTime, ...noAnswerProblems],
  example: { body: { message: 'How long do I have to return a bike?' } },
  handle: ({ params: { botId }, body, org, key, db }) => acceptMessage(db, org.id, botId, body, key.id),
  follow: ({ answer_id }, call) => followAnswer(answer_id, call),
})

interface Following {
  body: { stream: boolean }
  key: { id: string }
  db: DatabasePool
  ctx: Context
  replayed: boolean
  services: Services
}

/** Waits for the answer and returns it. Returns undefined if the answer was streamed. */
export async function followAnswer(
  answerId: string,
  { body, key, db, ctx, replayed, services }: Following,
): Promise<z.input<typeof Answer> | undefined> {
  if (replayed) await db.transaction((tx) => retryAnswer(tx, answerId, body.stream, key.id))
  const followers = services(answerFollowers)
  if (body.stream) return await stream(db, followers, answerId, ctx, services(stopping))
  const deadline = AbortSignal.any([AbortSignal.timeout(waitMs), services(stopping)])
  await followers.follow(answerId, deadline)
  return await getCompletedAnswer(db, answerId)
}

async function retryAnswer(tx: Db, answerId: string, streamed: boolean, keyId: string): Promise<void> {
  const again = await answers.retry(tx, answerId, streamed)
  if (again) await enqueue(tx, answer, { messageId: again.id, try: again.try, keyId }, { orgId: again.org_id })
}

async function getCompletedAnswer(db: DatabasePool, id: string): Promise<z.input<typeof Answer>> {
  const message = await mustFind(messages.findAny(db, id), 'conversation')
  const { org_id: orgId, bot_id: botId, conversation_id } = message
  const named = { orgId, botId, id: conversation_id, userId: undefined }
  if (message.status === 'pending') {
    throw new Problem(
      504,
      'server_error',
      'The answer is taking longer than usual. It will appear in the conversation.',
      {
        details: { conversation_id, message_id: id },
        retryAfter: 2,
      },
    )
  }
  if (message.error) throw await toAnswerProblem(db, message, message.error)
  const { bot_version } = await mustFind(conversations.find(db, named), 'conversation')
  const { finish_reason, engine, model, usage } = message
  return {
    conversation_id,
    message: presentMessage(message),
    handed_over: message.role === 'user',
    finish_reason,
    engine,
    model,
    usage,
    bot_version,
    template: presentTemplateRef(await versions.find(db, botId, bot_version)),
  }
}

async function stream(
  db: DatabasePool,
  followers: AnswerFollowers,
  id: string,
  ctx: Context,
  stopped: AbortSignal,
): Promise<undefined> {
  const { conversation_id } = await mustFind(messages.findAny(db, id), 'conversation')
  if (ctx.res.closed) return undefined
  const events = openEventStream(ctx, { stopping: stopped })
  const gone = new AbortController()
  events.onEnd(() => gone.abort())
  events.write(formatEvent('message.created', { conversation_id, message_id: id }))
  let told = ''
  await followers.follow(id, AbortSignal.any([gone.signal, AbortSignal.timeout(streamMs)]), {
    delta(text) {
      told += text
      events.write(formatEvent('message.delta', { text }))
    },
    restarted() {
      told = ''
      events.write(formatEvent('message.restarted', {}))
    },
  })
  if (!events.ended) events.write(await lastEvents(db, id, told))
  events.end()
  return undefined
}

async function lastEvents(db: DatabasePool, id: string, told: string): Promise<string> {
  try {
    const answer = Answer.parse(await getCompletedAnswer(db, id))
    const content = answer.handed_over ? '' : answer.message.content
    const restarted = content.startsWith(told) ? '' : formatEvent('message.restarted', {})
    const rest = restarted ? content : content.slice(told.length)
    const delta = rest && formatEvent('message.delta', { text: rest })
    return restarted + delta + formatEvent('message.completed', answer)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { code, message, details } = error
    return formatEvent('error', { code, message, ...(details as object) })
  }
}
