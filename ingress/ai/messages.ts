import type { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { complete } from '#tasks/ai/complete.ts'
import { followedRoute } from '../http/route.ts'
import { anthropicErrorBody } from './anthropic-problem.ts'
import type { Served } from './cached-completion.ts'
import {
  type AcceptedCall,
  type AcceptedCompletion,
  acceptCompletion,
  cacheHeaders,
  type FollowedCall,
  followCompletion,
  type StreamEnds,
} from './completion-answer.ts'
import { gatewayProblems } from './gateway-problems.ts'
import { buildMessageBody, MessageReply, MessageRequest } from './message-fields.ts'

const streamEnds: StreamEnds = {
  end: '',
  failure: (problem, requestId) => `event: error\ndata: ${JSON.stringify(anthropicErrorBody(problem, requestId))}\n\n`,
}

const declaration = {
  method: 'POST',
  beyondContract: true,
  scope: 'ai:invoke',
  idempotent: true,
  enqueues: complete,
  streams: true,
  headers: cacheHeaders,
  body: MessageRequest,
  status: 200,
  reply: MessageReply,
  problemBody: anthropicErrorBody,
  problems: ['conflict', ...gatewayProblems],
} as const

type MessageCall = AcceptedCall & { body: z.output<typeof MessageRequest> }

async function acceptMessage(call: MessageCall): Promise<AcceptedCompletion | Served> {
  if (call.header('anthropic-beta') !== undefined)
    throw badRequest([{ field: 'header.anthropic-beta', issue: 'cannot be set: beta features are not available' }])
  return await acceptCompletion(call, 'messages', buildMessageBody(call.body))
}

async function followMessage(accepted: AcceptedCompletion | Served, call: FollowedCall) {
  const answer = await followCompletion(accepted, 'messages', call, streamEnds)
  return answer === null ? undefined : MessageReply.parse(JSON.parse(answer))
}

export const create = followedRoute({
  ...declaration,
  path: '/messages',
  summary: 'Create a message (Anthropic format)',
  description:
    'If the upstream server has no Messages API, Millrace translates the request to a chat completion. A field that cannot be translated returns `400` with its name. Errors have Anthropic’s format (`type: "error"`) in addition to Millrace’s fields.',
  example: {
    body: { model: 'default', max_tokens: 100, messages: [{ role: 'user', content: 'Name a bird.' }] },
  },
  handle: acceptMessage,
  follow: followMessage,
})

export const createCompatible = followedRoute({
  ...declaration,
  path: '/anthropic/v1/messages',
  summary: 'Create a message (path of Anthropic’s SDK)',
  description:
    'The same operation as `/v1/ai/messages`. To use Anthropic’s SDK, set its base URL to `/v1/ai/anthropic` on this server.',
  handle: acceptMessage,
  follow: followMessage,
})
