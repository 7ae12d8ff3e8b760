import { complete } from '#tasks/ai/complete.ts'
import { followedRoute } from '../http/route.ts'
import { acceptCompletion, cacheHeaders, followCompletion, type StreamEnds } from './completion-answer.ts'
import { buildForwardedBody, CompletionBody, CompletionReply } from './completion-fields.ts'
import { gatewayProblems } from './gateway-problems.ts'
import { openAiErrorBody } from './openai-problem.ts'

const streamEnds: StreamEnds = {
  end: 'data: [DONE]\n\n',
  failure: (problem, requestId) => `data: ${JSON.stringify(openAiErrorBody(problem, requestId))}\n\n`,
}

export const create = followedRoute({
  method: 'POST',
  path: '/chat/completions',
  beyondContract: true,
  summary: 'Create a chat completion (OpenAI format)',
  description:
    'Works with OpenAI’s SDK if its base URL is `/v1/ai`. Millrace forwards the request to the first upstream server that has the model and responds. Errors contain OpenAI’s fields (`message`, `type`, `param`, `code`) in addition to Millrace’s fields. They use OpenAI’s codes where one exists: `invalid_api_key`, `rate_limit_exceeded`, `insufficient_quota`, `context_length_exceeded`. With `stream: true`, the response is a stream of server-sent events. If the stream is interrupted, the last event contains an `error`. The request header `Millrace-Cache` (seconds) caches the response for exact repeats. The embedded engine has no model and returns `503`.',
  scope: 'ai:invoke',
  idempotent: true,
  enqueues: complete,
  streams: true,
  headers: cacheHeaders,
  body: CompletionBody,
  status: 200,
  reply: CompletionReply,
  problemBody: openAiErrorBody,
  problems: ['conflict', ...gatewayProblems],
  example: {
    body: { model: 'default', messages: [{ role: 'user', content: 'Name a bird.' }] },
  },
  handle: (call) => acceptCompletion(call, 'chat', buildForwardedBody(call.body)),
  async follow(accepted, call) {
    const answer = await followCompletion(accepted, 'chat', call, streamEnds)
    return answer === null ? undefined : CompletionReply.parse(JSON.parse(answer))
  },
})
