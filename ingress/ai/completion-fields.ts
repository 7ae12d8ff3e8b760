import { z } from 'zod'
import { Fallbacks } from '#lib/config/ai-fallbacks.ts'
import { Message, optionalOrNull, rejectedParameter, texts, toolName } from './completion-messages.ts'

export const JsonSchema = z.record(z.string(), z.unknown())

const described = { name: toolName, description: optionalOrNull(z.string().max(20_000)) }
const callable = { ...described, parameters: optionalOrNull(JsonSchema) }

const Tool = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    function: z.strictObject({ ...callable, strict: optionalOrNull(z.boolean()) }),
  }),
  z.strictObject({
    type: z.literal('custom'),
    custom: z.strictObject({ ...described, format: optionalOrNull(JsonSchema) }),
  }),
])

const ResponseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      ...described,
      schema: optionalOrNull(JsonSchema),
      strict: optionalOrNull(z.boolean()),
    }),
  }),
])

const Named = z.strictObject({ name: toolName })

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.literal('function'), function: Named }),
  z.strictObject({ type: z.literal('custom'), custom: Named }),
  z.strictObject({
    type: z.literal('allowed_tools'),
    allowed_tools: z.strictObject({ mode: z.enum(['auto', 'required']), tools: z.array(JsonSchema).max(128) }),
  }),
])

const SpokenAnswer = z.strictObject({ voice: z.string().max(64), format: z.string().max(16) })

const hasFewFields = (given: object): boolean => Object.keys(given).length <= 16

export const reasoningEffort = optionalOrNull(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']))
export const verbosity = optionalOrNull(z.enum(['low', 'medium', 'high']))

export const metadataField = optionalOrNull(
  z.record(z.string().max(64), z.string().max(512)).refine(hasFewFields, 'must have at most 16 fields'),
).describe('Accepted but not forwarded, because proxies such as LiteLLM use it to route and log requests')

/** Millrace uses the field itself and does not forward it. */
export const fallbacksField = optionalOrNull(Fallbacks).describe(
  'Models that are used if this model fails, in order, up to 4. Each one is a name, or an object with `model` and `on`. `model` in the response is the model that responded.',
)

const count = (most: number) => z.int().min(1).max(most)
const penalty = optionalOrNull(z.number().min(-2).max(2))

export const Model = z
  .string()
  .min(1)
  .max(200)
  .describe('Model from `GET /v1/ai/models`. `default` leaves the choice to the operator.')

/**
 * Accepts the parameters of OpenAI's reference and some parameters of other servers. Rejects all others, because some
 * change who pays for a request or where it is sent, such as `api_base` of LiteLLM.
 */
export const CompletionBody = z
  .strictObject({
    model: Model,
    messages: z.array(Message).min(1).max(2_048),
    stream: optionalOrNull(z.boolean()).describe(
      'True to return server-sent events. Each event is a `chat.completion.chunk`. The stream ends with `[DONE]`.',
    ),
    stream_options: optionalOrNull(
      z.strictObject({ include_usage: optionalOrNull(z.boolean()), include_obfuscation: optionalOrNull(z.boolean()) }),
    ),
    max_tokens: optionalOrNull(count(1_000_000)),
    max_completion_tokens: optionalOrNull(count(1_000_000)),
    n: optionalOrNull(count(128)),
    temperature: optionalOrNull(z.number().min(0).max(2)),
    top_p: optionalOrNull(z.number().min(0).max(1)),
    frequency_penalty: penalty,
    presence_penalty: penalty,
    logit_bias: optionalOrNull(z.record(z.string().max(20), z.number().min(-100).max(100))),
    logprobs: optionalOrNull(z.boolean()),
    top_logprobs: optionalOrNull(z.int().min(0).max(20)),
    seed: optionalOrNull(z.int()),
    stop: optionalOrNull(z.union([z.string().min(1).max(1_000), z.array(z.string().min(1).max(1_000)).min(1).max(16)])),
    tools: optionalOrNull(z.array(Tool).max(128)),
    tool_choice: optionalOrNull(ToolChoice),
    parallel_tool_calls: optionalOrNull(z.boolean()),
    functions: optionalOrNull(z.array(z.strictObject(callable)).max(128)).describe('Deprecated. Use `tools`.'),
    function_call: optionalOrNull(z.union([z.enum(['none', 'auto']), Named])).describe(
      'Deprecated. Use `tool_choice`.',
    ),
    response_format: optionalOrNull(ResponseFormat),
    reasoning_effort: reasoningEffort,
    verbosity,
    modalities: optionalOrNull(
      z
        .array(z.enum(['text', 'audio']))
        .min(1)
        .max(2),
    ),
    audio: optionalOrNull(SpokenAnswer),
    prediction: optionalOrNull(z.strictObject({ type: z.literal('content'), content: texts })),
    store: optionalOrNull(z.boolean()).describe(
      'True to let the upstream server store the answer in the operator’s account',
    ),
    fallbacks: fallbacksField,
    metadata: metadataField,
    service_tier: optionalOrNull(z.string().max(32)),
    prompt_cache_key: optionalOrNull(z.string().max(512)),
    prompt_cache_retention: optionalOrNull(z.string().max(32)),
    prompt_cache_options: optionalOrNull(JsonSchema),
    moderation: optionalOrNull(JsonSchema),
    safety_identifier: optionalOrNull(z.string().max(512)),
    user: optionalOrNull(z.string().max(512)),
    web_search_options: rejectedParameter(
      'cannot be set: a search has its own price and sends text to a search engine',
    ),
    top_k: optionalOrNull(z.int().min(-1).max(100_000)).describe('For upstream servers such as vLLM'),
    min_p: optionalOrNull(z.number().min(0).max(1)).describe('For upstream servers such as vLLM'),
    repetition_penalty: optionalOrNull(z.number().min(0).max(10)).describe('For upstream servers such as vLLM'),
    chat_template_kwargs: optionalOrNull(
      z.record(z.string().max(64), z.union([z.string().max(200), z.number(), z.boolean()])),
    ),
  })
  .check(({ value, issues }) => {
    const fault = (field: keyof typeof value, message: string) =>
      issues.push({ code: 'custom', path: [field], input: value[field], message })
    if (value.stream_options && !value.stream) fault('stream_options', 'must be used together with `stream: true`')
    if (typeof value.max_tokens === 'number' && typeof value.max_completion_tokens === 'number') {
      fault('max_tokens', 'cannot be used together with `max_completion_tokens`')
    }
    if (typeof value.top_logprobs === 'number' && !value.logprobs)
      fault('top_logprobs', 'must be used together with `logprobs: true`')
    const isFree = value.tool_choice === 'none' || value.tool_choice === 'auto'
    if (value.tool_choice && !isFree && !value.tools?.length) fault('tool_choice', 'must be used together with `tools`')
  })

/**
 * Returns the body that is forwarded. Removes `null` values, and empty `tools` and `tool_calls`, which OpenAI's server
 * rejects. Without tools, `tool_choice` is removed. Millrace itself uses `fallbacks`. Metadata is removed, because LiteLLM
 * reads settings such as `langfuse_host`, `slack_webhook_url` and `turn_off_message_logging` from it.
 */
export function buildForwardedBody(body: z.output<typeof CompletionBody>): Record<string, unknown> {
  const { tools, tool_choice, parallel_tool_calls, messages, metadata: _, fallbacks: __, ...rest } = body
  const ofTools = tools?.length ? { tools, tool_choice, parallel_tool_calls } : {}
  return withoutNulls({ ...rest, messages: messages.map(withoutEmptyCalls), ...ofTools })
}

function withoutEmptyCalls(message: z.output<typeof Message>): object {
  if (message.role !== 'assistant' || message.tool_calls?.length) return message
  const { tool_calls: _none, ...rest } = message
  return rest
}

export const withoutNulls = (body: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined))

const Tokens = z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })

/** Allows additional fields, because some servers add them. */
export const CompletionReply = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      finish_reason: z.string(),
      message: z.looseObject({ role: z.string(), content: z.unknown().optional() }),
    }),
  ),
  usage: Tokens,
})
