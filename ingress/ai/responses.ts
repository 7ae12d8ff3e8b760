import { complete } from '#tasks/ai/complete.ts'
import { followedRoute } from '../http/route.ts'
import { acceptCompletion, cacheHeaders, followCompletion, type StreamEnds } from './completion-answer.ts'
import { gatewayProblems } from './gateway-problems.ts'
import { openAiErrorBody } from './openai-problem.ts'
import { buildResponseBody, ResponseReply, ResponseRequest } from './response-fields.ts'

const streamEnds: StreamEnds = {
  end: '',
  failure(problem, requestId, sequence_number) {
    const { error } = openAiErrorBody(problem, requestId)
    const { code, message, param } = error
    return `event: error\ndata: ${JSON.stringify({ type: 'error', sequence_number, code, message, param, error })}\n\n`
  },
}

export const create = followedRoute({
  method: 'POST',
  path: '/responses',
  beyondContract: true,
  summary: 'Create a response (OpenAI format)',
  description:
    'Works with OpenAI’s SDK and Agents SDK if the base URL is `/v1/ai`. If the upstream server has no Responses API, Millrace translates the request to a chat completion. A field that cannot be translated returns `400` with its name in `param`. Millrace does not store responses, so `store: true` and `previous_response_id` are rejected. Errors are the same as for `/v1/ai/chat/completions`.',
  scope: 'ai:invoke',
  idempotent: true,
  enqueues: complete,
  streams: true,
  headers: cacheHeaders,
  body: ResponseRequest,
  status: 200,
  reply: ResponseReply,
  problemBody: openAiErrorBody,
  problems: ['conflict', ...gatewayProblems],
  example: { body: { model: 'default', input: 'Name a bird.' } },
  handle: (call) => acceptCompletion(call, 'responses', buildResponseBody(call.body)),
  async follow(accepted, call) {
    const answer = await followCompletion(accepted, 'responses', call, streamEnds)
    return answer === null ? undefined : ResponseReply.parse(JSON.parse(answer))
  },
})
