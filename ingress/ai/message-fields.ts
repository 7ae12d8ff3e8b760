import { z } from 'zod'
import { textOr } from '../http/request/issues.ts'
import { fallbacksField, JsonSchema, Model, withoutNulls } from './completion-fields.ts'
import { optionalOrNull, rejectedParameter } from './completion-messages.ts'
import { CacheControl, MessageParam, TextBlock } from './message-blocks.ts'

/** Accepts only tools that the client runs. Tools of the model's server have their own price. */
const Tool = z.strictObject({
  type: optionalOrNull(z.literal('custom')),
  name: z.string().regex(/^[a-zA-Z0-9_.-]{1,128}$/, 'must contain only letters, digits, _, . and -'),
  description: optionalOrNull(z.string().max(20_000)),
  input_schema: JsonSchema,
  strict: optionalOrNull(z.boolean()),
  eager_input_streaming: optionalOrNull(z.boolean()),
  cache_control: optionalOrNull(CacheControl),
})

const several = { disable_parallel_tool_use: optionalOrNull(z.boolean()) }

const ToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...several }),
  z.strictObject({ type: z.literal('any'), ...several }),
  z.strictObject({ type: z.literal('tool'), name: z.string().max(200), ...several }),
  z.strictObject({ type: z.literal('none') }),
])

const Thinking = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('enabled'),
    budget_tokens: z.int().min(1_024).max(1_000_000),
    display: optionalOrNull(z.string().max(32)),
  }),
  z.strictObject({ type: z.literal('adaptive'), display: optionalOrNull(z.string().max(32)) }),
  z.strictObject({ type: z.literal('disabled') }),
])

const OutputConfig = z.strictObject({
  effort: optionalOrNull(z.enum(['low', 'medium', 'high', 'xhigh', 'max'])),
  format: optionalOrNull(z.strictObject({ type: z.literal('json_schema'), schema: JsonSchema })),
})

/** Accepts the parameters of Anthropic's reference that do not need tools or files of the model's server. */
export const MessageRequest = z
  .strictObject({
    model: Model,
    max_tokens: z.int().min(1).max(1_000_000),
    messages: z.array(MessageParam).min(1).max(2_048),
    system: optionalOrNull(textOr(z.string(), z.array(TextBlock).max(256))),
    stream: optionalOrNull(z.boolean()).describe('True to return server-sent events, such as `message_start`'),
    temperature: optionalOrNull(z.number().min(0).max(1)),
    top_p: optionalOrNull(z.number().min(0).max(1)),
    top_k: optionalOrNull(z.int().min(0).max(100_000)),
    stop_sequences: optionalOrNull(z.array(z.string().min(1).max(1_000)).max(16)),
    tools: optionalOrNull(z.array(Tool).max(128)),
    tool_choice: optionalOrNull(ToolChoice),
    thinking: optionalOrNull(Thinking),
    output_config: optionalOrNull(OutputConfig),
    metadata: optionalOrNull(z.strictObject({ user_id: optionalOrNull(z.string().max(512)) })),
    service_tier: optionalOrNull(z.enum(['auto', 'standard_only'])),
    cache_control: optionalOrNull(CacheControl),
    fallbacks: fallbacksField,
    container: rejectedParameter('cannot be set: containers belong to the operator’s account'),
    mcp_servers: rejectedParameter('cannot be set: the model’s server would call other servers'),
    context_management: rejectedParameter('cannot be set: it needs a beta version of the API'),
  })
  .check(({ value: { tools, tool_choice }, issues }) => {
    if (!tool_choice || tool_choice.type === 'none' || tools?.length) return
    const message = 'must be used together with `tools`'
    issues.push({ code: 'custom', path: ['tool_choice'], input: tool_choice, message })
  })

/** Returns the body that is forwarded. Without tools, `tool_choice` is removed, because some servers reject it. */
export function buildMessageBody(body: z.output<typeof MessageRequest>): Record<string, unknown> {
  const { tools, tool_choice, fallbacks: _, ...rest } = body
  return withoutNulls({ ...rest, ...(tools?.length ? { tools, tool_choice } : {}) })
}

/** Allows additional fields, because some servers add them. */
export const MessageReply = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })).describe('Texts and tool calls of the model'),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
})
