import { z } from 'zod'

/** An optional parameter; null is as good as left out, as OpenAI's clients send it. */
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish()

const name = z.string().regex(/^[a-zA-Z0-9_.-]{1,128}$/, 'must be letters, digits, _, . and -')

const Text = z.strictObject({ type: z.literal('text'), text: z.string() })
const Refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() })

/** The bytes themselves: by an address a stranger would have the model's server fetch what that one can reach. */
const Image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: z.string().refine(isImage, 'must be data:image/…;base64,…: pictures are not fetched by address'),
    detail: maybe(z.enum(['auto', 'low', 'high'])),
  }),
})

const Audio = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: z.base64(), format: z.enum(['wav', 'mp3']) }),
})

function isImage(url: string): boolean {
  const comma = url.indexOf(',')
  return comma > 0 && comma < 100 && /^data:image\/[a-z0-9.+-]{1,40};base64$/.test(url.slice(0, comma))
}

const texts = z.union([z.string(), z.array(Text).min(1).max(256)])

const ToolCall = z.strictObject({
  id: z.string().max(200),
  type: z.literal('function'),
  function: z.strictObject({ name, arguments: z.string() }),
})

const instruction = { content: texts, name: maybe(name) }

/** A message of a conversation, by who has said it. */
const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), ...instruction }),
  z.strictObject({ role: z.literal('developer'), ...instruction }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([
      z.string(),
      z
        .array(z.discriminatedUnion('type', [Text, Image, Audio]))
        .min(1)
        .max(256),
    ]),
    name: maybe(name),
  }),
  z
    .strictObject({
      role: z.literal('assistant'),
      content: maybe(z.union([z.string(), z.array(z.discriminatedUnion('type', [Text, Refusal])).max(256)])),
      refusal: maybe(z.string()),
      reasoning_content: maybe(z.string()),
      name: maybe(name),
      tool_calls: maybe(z.array(ToolCall).min(1).max(128)),
      audio: z.null().optional(),
      function_call: z.null().optional(),
      annotations: maybe(z.array(z.unknown()).max(64)),
    })
    .refine(({ content, tool_calls, refusal }) => Boolean(content ?? tool_calls ?? refusal), {
      path: ['content'],
      message: 'must be there where there are no tool_calls',
    }),
  z.strictObject({ role: z.literal('tool'), content: texts, tool_call_id: z.string().min(1).max(200) }),
])

const JsonSchema = z.record(z.string(), z.unknown())

const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name,
    description: maybe(z.string().max(20_000)),
    parameters: maybe(JsonSchema),
    strict: maybe(z.boolean()),
  }),
})

const ResponseFormat = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text') }),
  z.strictObject({ type: z.literal('json_object') }),
  z.strictObject({
    type: z.literal('json_schema'),
    json_schema: z.strictObject({
      name,
      description: maybe(z.string().max(20_000)),
      schema: maybe(JsonSchema),
      strict: maybe(z.boolean()),
    }),
  }),
])

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.strictObject({ type: z.literal('function'), function: z.strictObject({ name }) }),
])

const count = (most: number) => z.int().min(1).max(most)
const penalty = maybe(z.number().min(-2).max(2))

/** A model by the name that `GET /v1/ai/models` has. */
export const Model = z
  .string()
  .min(1)
  .max(200)
  .describe('A name of `GET /v1/ai/models`; `default` leaves the choice to the operator')

/** What is passed on of OpenAI's parameters, and of those that other servers have. */
export const CompletionBody = z
  .strictObject({
    model: Model,
    messages: z.array(Message).min(1).max(2_048),
    stream: maybe(z.boolean()).describe('Server-sent events, each a `chat.completion.chunk`, and `[DONE]` at the end'),
    stream_options: maybe(
      z.strictObject({ include_usage: maybe(z.boolean()), include_obfuscation: maybe(z.boolean()) }),
    ),
    max_tokens: maybe(count(1_000_000)),
    max_completion_tokens: maybe(count(1_000_000)),
    n: maybe(count(8)),
    temperature: maybe(z.number().min(0).max(2)),
    top_p: maybe(z.number().min(0).max(1)),
    frequency_penalty: penalty,
    presence_penalty: penalty,
    logit_bias: maybe(z.record(z.string().max(20), z.number().min(-100).max(100))),
    logprobs: maybe(z.boolean()),
    top_logprobs: maybe(z.int().min(0).max(20)),
    seed: maybe(z.int()),
    stop: maybe(z.union([z.string().min(1).max(1_000), z.array(z.string().min(1).max(1_000)).min(1).max(16)])),
    tools: maybe(z.array(Tool).min(1).max(128)),
    tool_choice: maybe(ToolChoice),
    parallel_tool_calls: maybe(z.boolean()),
    response_format: maybe(ResponseFormat),
    reasoning_effort: maybe(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])),
    verbosity: maybe(z.enum(['low', 'medium', 'high'])),
    modalities: maybe(z.array(z.literal('text')).length(1)),
    store: maybe(z.literal(false)),
    user: maybe(z.string().max(200)),
    top_k: maybe(z.int().min(-1).max(100_000)).describe('Of servers such as vLLM'),
    min_p: maybe(z.number().min(0).max(1)).describe('Of servers such as vLLM'),
    repetition_penalty: maybe(z.number().min(0).max(10)).describe('Of servers such as vLLM'),
    chat_template_kwargs: maybe(z.record(z.string().max(64), z.union([z.string().max(200), z.number(), z.boolean()]))),
  })
  .check(({ value, issues }) => {
    const fault = (field: keyof typeof value, message: string) =>
      issues.push({ code: 'custom', path: [field], input: value[field], message })
    if (value.stream_options && !value.stream) fault('stream_options', 'is for `stream: true`')
    if (typeof value.max_tokens === 'number' && typeof value.max_completion_tokens === 'number') {
      fault('max_tokens', 'is not allowed beside `max_completion_tokens`')
    }
    if (typeof value.top_logprobs === 'number' && !value.logprobs) fault('top_logprobs', 'is for `logprobs: true`')
    if (value.tool_choice && value.tool_choice !== 'none' && !value.tools)
      fault('tool_choice', 'is for requests with `tools`')
  })

/** A checked body without what is null, as it is passed on. */
export const withoutNulls = (body: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null && value !== undefined))

const Tokens = z.looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })

/** A whole answer in OpenAI's shape; what else a server says is there, too. */
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
