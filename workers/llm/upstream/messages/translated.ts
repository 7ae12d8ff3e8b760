import type { CompletionRequest } from '#tasks/ai/rules/gateway.ts'
import { malformedError } from '../faults.ts'
import type { OpenRequest } from '../open-request.ts'
import { readForwardedAnswer } from '../passed.ts'
import { translateStream } from '../translated-stream.ts'
import { ChatAnswer, type ChatCall, readStopSequence } from '../translation.ts'
import { createMessageEvents } from './message-events.ts'
import { createMessage } from './message-object.ts'
import type { MessagesRequest } from './request.ts'
import { toChat } from './to-chat.ts'

/** Sends a request of the Messages API as a chat completion. */
export function openTranslatedMessage(given: CompletionRequest, model: string): OpenRequest {
  const request = given as MessagesRequest
  const asked = toChat(request)
  const facts = { request, model }
  return {
    body: { ...asked, model },
    read(raw) {
      const { completion, ...result } = readForwardedAnswer(raw, asked, model)
      const answer = ChatAnswer.safeParse(completion).data
      const choice = answer?.choices[0]
      if (!answer || !choice) throw malformedError(result.usage)
      const { message, finish_reason, stop_reason } = choice
      const { content, refusal, tool_calls } = message
      const text = `${content ?? ''}${refusal ?? ''}`
      const blocks = (tool_calls ?? []).map((call) => {
        const input = parseArguments(call)
        if (!input) throw malformedError(result.usage)
        return { type: 'tool_use', id: call.id, name: call.function.name, input }
      })
      const reason = refusal ? 'content_filter' : finish_reason
      const end = { reason, stopSequence: readStopSequence(stop_reason), usage: answer.usage }
      const texts = text === '' ? [] : [{ type: 'text', text, citations: null }]
      return { ...result, completion: { ...createMessage(facts, [...texts, ...blocks], end) } }
    },
    listen: (tell) => translateStream(asked, createMessageEvents(facts, tell)),
  }
}

/** Parses the arguments of a call. Undefined if they are not an object in JSON. */
function parseArguments({ function: { arguments: text } }: ChatCall): object | undefined {
  if (text.trim() === '') return {}
  try {
    const given: unknown = JSON.parse(text)
    return typeof given === 'object' && given !== null && !Array.isArray(given) ? given : undefined
  } catch {
    return undefined
  }
}
