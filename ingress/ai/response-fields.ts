import { z } from 'zod'
import {
  fallbacksField,
  JsonSchema,
  Model,
  metadataField,
  reasoningEffort,
  verbosity,
  withoutNulls,
} from './completion-fields.ts'
import { optionalOrNull, rejectedParameter, toolName } from './completion-messages.ts'
import { Input } from './response-input.ts'

const described = { name: toolName, description: optionalOrNull(z.string().max(20_000)) }

/** Other tools run on the model's server, have their own price, or send text to third parties. */
const Tool = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('function'),
    ...described,
    parameters: optionalOrNull(JsonSchema),
    strict: optionalOrNull(z.boolean()),
  }),
  z.strictObject({ type: z.literal('custom'), ...described, format: optionalOrNull(JsonSchema) }),
])

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.literal('function'), name: toolName }),
  z.strictObject({ type: z.literal('custom'), name: toolName }),
  z.strictObject({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required']),
    tools: z.array(JsonSchema).max(128),
  }),
])

const Format = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    ...described,
    schema: JsonSchema,
    strict: optionalOrNull(z.boolean()),
  }),
])

const notStored = 'cannot be used: Millrace does not store responses'

/** Accepts the parameters of OpenAI's reference that do not need stored responses or tools of the model's server. */
export const ResponseRequest = z
  .strictObject({
    model: Model,
    input: Input,
    instructions: optionalOrNull(z.string()),
    stream: optionalOrNull(z.boolean()).describe('True to return server-sent events, such as `response.created`'),
    stream_options: optionalOrNull(z.strictObject({ include_obfuscation: optionalOrNull(z.boolean()) })),
    max_output_tokens: optionalOrNull(z.int().min(1).max(1_000_000)),
    temperature: optionalOrNull(z.number().min(0).max(2)),
    top_p: optionalOrNull(z.number().min(0).max(1)),
    top_logprobs: optionalOrNull(z.int().min(0).max(20)),
    tools: optionalOrNull(z.array(Tool).max(128)),
    tool_choice: optionalOrNull(ToolChoice),
    parallel_tool_calls: optionalOrNull(z.boolean()),
    text: optionalOrNull(z.strictObject({ format: optionalOrNull(Format), verbosity })),
    reasoning: optionalOrNull(
      z.strictObject({
        effort: reasoningEffort,
        summary: optionalOrNull(z.enum(['auto', 'concise', 'detailed'])),
      }),
    ),
    include: optionalOrNull(z.array(z.enum(['reasoning.encrypted_content', 'message.output_text.logprobs'])).max(2)),
    truncation: optionalOrNull(z.enum(['auto', 'disabled'])),
    store: optionalOrNull(z.literal(false, `must be false: Millrace does not store responses`)).describe(
      'Must be `false` or omitted, because Millrace does not store responses',
    ),
    background: optionalOrNull(z.literal(false, 'must be false: Millrace does not store responses')),
    previous_response_id: rejectedParameter(`${notStored}. Send the whole conversation in \`input\``),
    conversation: rejectedParameter(`${notStored}. Send the whole conversation in \`input\``),
    prompt: rejectedParameter('cannot be used: prompts are stored in the operator’s account'),
    fallbacks: fallbacksField,
    metadata: metadataField,
    service_tier: optionalOrNull(z.string().max(32)),
    prompt_cache_key: optionalOrNull(z.string().max(512)),
    prompt_cache_retention: optionalOrNull(z.string().max(32)),
    safety_identifier: optionalOrNull(z.string().max(512)),
    user: optionalOrNull(z.string().max(512)),
  })
  .check(({ value, issues }) => {
    const fault = (field: keyof typeof value, message: string) =>
      issues.push({ code: 'custom', path: [field], input: value[field], message })
    if (value.stream_options && !value.stream) fault('stream_options', 'must be used together with `stream: true`')
    const isFree = value.tool_choice === 'none' || value.tool_choice === 'auto'
    if (value.tool_choice && !isFree && !value.tools?.length) fault('tool_choice', 'must be used together with `tools`')
  })

/** Returns the body that is forwarded. Without tools, fields of tools are removed, because some servers reject them. */
export function buildResponseBody(body: z.output<typeof ResponseRequest>): Record<string, unknown> {
  const { tools, tool_choice, parallel_tool_calls, store: _, background: _never, fallbacks: __, ...rest } = body
  return withoutNulls({ ...rest, ...(tools?.length ? { tools, tool_choice, parallel_tool_calls } : {}) })
}

/** Allows additional fields, because some servers add them. */
export const ResponseReply = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.number(),
  status: z.string().describe('`completed`, or `incomplete` with the reason in `incomplete_details`'),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string() })).describe('Messages and function calls of the model'),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }).nullish(),
})
