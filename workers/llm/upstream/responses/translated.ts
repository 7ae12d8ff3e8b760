import type { CompletionRequest } from '#tasks/ai/rules/gateway.ts'
import { malformedError } from '../faults.ts'
import type { OpenRequest } from '../open-request.ts'
import { readForwardedAnswer } from '../passed.ts'
import { translateStream } from '../translated-stream.ts'
import { ChatAnswer, readStopSequence } from '../translation.ts'
import type { ResponsesRequest } from './request.ts'
import { createResponseEvents } from './response-events.ts'
import {
  createCallItem,
  createItemId,
  createMessageItem,
  createRefusalPart,
  createResponse,
  createTextPart,
  type OutputItem,
} from './response-object.ts'
import { toChat } from './to-chat.ts'

/** Sends a request of the Responses API as a chat completion. */
export function openTranslatedResponse(given: CompletionRequest, model: string): OpenRequest {
  const request = given as ResponsesRequest
  const asked = toChat(request)
  const facts = { id: createItemId('resp'), createdAt: Math.floor(Date.now() / 1000), request, model }
  return {
    body: { ...asked, model },
    read(raw) {
      const { completion, ...result } = readForwardedAnswer(raw, asked, model)
      const answer = ChatAnswer.safeParse(completion).data
      const choice = answer?.choices[0]
      if (!answer || !choice) throw malformedError(result.usage)
      const { message, finish_reason: reason, stop_reason } = choice
      const end = { reason, stopSequence: readStopSequence(stop_reason), usage: answer.usage }
      return { ...result, completion: { ...createResponse(facts, outputOf(message), end) } }
    },
    listen: (tell) => translateStream(asked, createResponseEvents(facts, tell)),
  }
}

function outputOf({ content, refusal, tool_calls }: ChatAnswer['choices'][number]['message']): OutputItem[] {
  const parts = [...(content ? [createTextPart(content)] : []), ...(refusal ? [createRefusalPart(refusal)] : [])]
  const calls = (tool_calls ?? []).map((call) => createCallItem(createItemId('fc'), 'completed', call))
  const message = createMessageItem(createItemId('msg'), 'completed', parts)
  return parts.length > 0 || calls.length === 0 ? [message, ...calls] : calls
}
