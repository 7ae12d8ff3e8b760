import { newId } from '#lib/ids.ts'
import { getShownModel } from '../passed.ts'
import type { ChatEnd } from '../translation.ts'
import type { MessagesRequest } from './request.ts'

export interface MessageFacts {
  request: MessagesRequest
  /** Real name of the model. */
  model: string
}

export const createMessageId = (): string => `msg_${newId().replaceAll('-', '')}`

/** Returns a message object. `end` is undefined while the answer streams. */
export function createMessage({ request, model }: MessageFacts, content: readonly object[], end?: ChatEnd): object {
  return {
    id: createMessageId(),
    type: 'message',
    role: 'assistant',
    model: getShownModel(request, model),
    content,
    ...(end ? stopOf(end) : { stop_reason: null, stop_sequence: null }),
    usage: usageOf(end?.usage),
  }
}

const reasons: Readonly<Record<string, string>> = {
  length: 'max_tokens',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  content_filter: 'refusal',
}

export function stopOf({ reason, stopSequence }: ChatEnd): object {
  if (stopSequence !== null) return { stop_reason: 'stop_sequence', stop_sequence: stopSequence }
  return { stop_reason: reasons[reason ?? ''] ?? 'end_turn', stop_sequence: null }
}

/** Returns the usage. Tokens that the server read from its cache are counted separately in this API. */
export function usageOf(usage: ChatEnd['usage'] | undefined): object {
  const cached = Math.min(usage?.prompt_tokens_details?.cached_tokens ?? 0, usage?.prompt_tokens ?? 0)
  return {
    input_tokens: (usage?.prompt_tokens ?? 0) - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: usage?.completion_tokens ?? 0,
  }
}
