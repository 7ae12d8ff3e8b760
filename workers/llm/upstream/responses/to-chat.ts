import type { CompletionRequest } from '#tasks/ai/rules/gateway.ts'
import { demandKnown, untranslatable, withoutUnset } from '../translation.ts'
import { inputToMessages } from './input-to-messages.ts'
import type { ResponsesRequest } from './request.ts'

/** Fields with the same name and meaning in both APIs. */
const same = [
  ...['temperature', 'top_p', 'parallel_tool_calls', 'user', 'safety_identifier', 'service_tier'],
  ...['prompt_cache_key', 'prompt_cache_retention'],
] as const

/** Fields that are translated below, or that have no effect on the model. */
const translated = [
  ...['model', 'input', 'instructions', 'max_output_tokens', 'tools', 'tool_choice', 'text', 'reasoning', 'include'],
  ...['truncation', 'metadata', 'store', 'stream', 'stream_options', 'background'],
]

/** Translates a request of the Responses API to chat completions. Throws if a field cannot be translated. */
export function toChat(request: ResponsesRequest): CompletionRequest {
  demandKnown(request, [...same, ...translated])
  demandKnown(request.reasoning ?? {}, ['effort'], 'reasoning')
  demandKnown(request.text ?? {}, ['format', 'verbosity'], 'text')
  if (request.truncation === 'auto') throw untranslatable('truncation')
  // Without reasoning items, encrypted reasoning adds nothing to an answer.
  const included = Array.isArray(request.include) ? request.include : []
  if (included.some((one) => one !== 'reasoning.encrypted_content')) throw untranslatable('include')
  const tools = request.tools?.length ? request.tools : undefined
  const body = {
    model: request.model,
    messages: [
      ...(request.instructions ? [{ role: 'system', content: request.instructions }] : []),
      ...inputToMessages(request.input),
    ],
    max_tokens: request.max_output_tokens,
    ...Object.fromEntries(same.map((name) => [name, request[name]])),
    response_format: formatOf(request.text?.format),
    verbosity: request.text?.verbosity,
    reasoning_effort: request.reasoning?.effort,
    tools: tools?.map(toolOf),
    tool_choice: tools && choiceOf(request.tool_choice),
    ...(!tools && { parallel_tool_calls: undefined }),
  }
  return { ...withoutUnset(body), model: request.model }
}

function toolOf({ type, ...tool }: NonNullable<ResponsesRequest['tools']>[number], at: number): object {
  if (type !== 'function') throw untranslatable(`tools.${at}.type`)
  demandKnown(tool, ['name', 'description', 'parameters', 'strict'], `tools.${at}`)
  return { type, function: withoutUnset(tool) }
}

function choiceOf(choice: ResponsesRequest['tool_choice']): unknown {
  if (typeof choice !== 'object' || choice === null) return choice
  const { type, name, mode, tools } = choice
  if (type === 'function') return { type, function: { name } }
  if (type !== 'allowed_tools' || tools?.some((tool) => tool.type !== 'function')) throw untranslatable('tool_choice')
  const allowed = tools?.map((tool) => ({ type: 'function', function: { name: tool.name } }))
  return { type, allowed_tools: { mode, tools: allowed } }
}

function formatOf(format: NonNullable<ResponsesRequest['text']>['format']): unknown {
  if (!format || format.type === 'text') return undefined
  const { type, ...schema } = format
  return type === 'json_schema' ? { type, json_schema: withoutUnset(schema) } : { type }
}
