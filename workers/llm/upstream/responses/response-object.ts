import { newId } from '#lib/ids.ts'
import { getShownModel } from '../passed.ts'
import type { ChatCall, ChatEnd } from '../translation.ts'
import type { ResponsesRequest } from './request.ts'

export type OutputItem = Record<string, unknown> & { id: string; type: string }

/** Returns a message with its content. `content` is empty at the start of a stream. */
export const createMessageItem = (id: string, status: string, content: readonly object[]): OutputItem => ({
  id,
  type: 'message',
  status,
  role: 'assistant',
  content,
})

export const createCallItem = (id: string, status: string, call: ChatCall): OutputItem => ({
  id,
  type: 'function_call',
  status,
  call_id: call.id,
  name: call.function.name,
  arguments: call.function.arguments,
})

export const createTextPart = (text: string): Record<string, unknown> => ({
  type: 'output_text',
  text,
  annotations: [],
  logprobs: [],
})

export const createRefusalPart = (refusal: string): Record<string, unknown> => ({ type: 'refusal', refusal })

/** ID of an item or response: a prefix and a UUID without hyphens. */
export const createItemId = (prefix: 'resp' | 'msg' | 'fc'): string => `${prefix}_${newId().replaceAll('-', '')}`

export interface ResponseFacts {
  id: string
  createdAt: number
  request: ResponsesRequest
  /** Real name of the model. */
  model: string
}

/** Returns a response object. `end` is undefined while the answer streams. */
export function createResponse(facts: ResponseFacts, output: readonly OutputItem[], end?: ChatEnd): object {
  const { request } = facts
  const incomplete = end && incompleteReason(end.reason)
  return {
    id: facts.id,
    object: 'response',
    created_at: facts.createdAt,
    status: end ? (incomplete ? 'incomplete' : 'completed') : 'in_progress',
    background: false,
    error: null,
    incomplete_details: incomplete ? { reason: incomplete } : null,
    model: getShownModel(request, facts.model),
    output,
    usage: end ? usageOf(end.usage) : null,
    ...parametersOf(request),
  }
}

/** Parameters that a response repeats, with their defaults. */
const defaults = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  service_tier: 'default',
  store: false,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
  metadata: {},
}

const parametersOf = (request: ResponsesRequest): object => ({
  ...Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, request[name] ?? value])),
  reasoning: { effort: request.reasoning?.effort ?? null, summary: null },
  text: { format: { type: 'text' }, ...request.text },
})

function incompleteReason(reason: ChatEnd['reason']): string | undefined {
  if (reason === 'length') return 'max_output_tokens'
  return reason === 'content_filter' ? reason : undefined
}

const usageOf = (usage: ChatEnd['usage']): object => ({
  input_tokens: usage.prompt_tokens,
  input_tokens_details: { cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0 },
  output_tokens: usage.completion_tokens,
  output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
  total_tokens: usage.total_tokens,
})
