import type { CompletionRequest } from '#tasks/ai/rules/gateway.ts'
import { demandKnown, untranslatable, withoutUnset } from '../translation.ts'
import type { MessagesRequest } from './request.ts'
import { turnsToMessages, withoutCacheControl } from './turns-to-messages.ts'

/** Fields with the same name and meaning in both APIs. */
const same = ['max_tokens', 'temperature', 'top_p', 'top_k'] as const

/** Fields that are translated below, or that have no effect on the model. */
const translated = [
  ...['model', 'messages', 'system', 'stop_sequences', 'tools', 'tool_choice', 'thinking', 'metadata', 'stream'],
  ...['output_config', 'service_tier', 'cache_control'],
]

/** Translates a request of the Messages API to chat completions. Throws if a field cannot be translated. */
export function toChat(request: MessagesRequest): CompletionRequest {
  demandKnown(request, [...same, ...translated])
  const { system, thinking, output_config: output, tool_choice: choice } = request
  if (thinking && thinking.type !== 'disabled') throw untranslatable('thinking')
  if (request.service_tier === 'standard_only') throw untranslatable('service_tier')
  demandKnown(output ?? {}, ['effort', 'format'], 'output_config')
  const tools = request.tools?.length ? request.tools : undefined
  const stop = Array.isArray(request.stop_sequences) && request.stop_sequences.length > 0
  const body = {
    messages: [...systemOf(system), ...turnsToMessages(request.messages)],
    ...Object.fromEntries(same.map((name) => [name, request[name]])),
    stop: stop ? request.stop_sequences : undefined,
    user: request.metadata?.user_id,
    reasoning_effort: output?.effort,
    response_format: output?.format && {
      type: 'json_schema',
      json_schema: { name: 'output', schema: output.format.schema, strict: true },
    },
    tools: tools?.map(toolOf),
    ...(tools && choice && choiceOf(choice)),
  }
  return { ...withoutUnset(body), model: request.model }
}

function systemOf(system: MessagesRequest['system']): object[] {
  if (!system || system.length === 0) return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  const content = system.map((block, at) => {
    demandKnown(withoutCacheControl(block), ['type', 'text'], `system.${at}`)
    return { type: 'text', text: block.text }
  })
  return [{ role: 'system', content }]
}

function toolOf(tool: NonNullable<MessagesRequest['tools']>[number], at: number): object {
  const { type, name, description, input_schema: parameters, strict } = tool
  if (type && type !== 'custom') throw untranslatable(`tools.${at}.type`)
  demandKnown(withoutCacheControl(tool), ['type', 'name', 'description', 'input_schema', 'strict'], `tools.${at}`)
  return { type: 'function', function: withoutUnset({ name, description, parameters, strict }) }
}

const choices: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' }

function choiceOf({
  type,
  name,
  disable_parallel_tool_use: isSingle,
}: NonNullable<MessagesRequest['tool_choice']>): object {
  const tool_choice = type === 'tool' ? { type: 'function', function: { name } } : choices[type]
  return { tool_choice, ...(isSingle && { parallel_tool_calls: false }) }
}
