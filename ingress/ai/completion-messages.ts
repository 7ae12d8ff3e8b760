import { z } from 'zod'

/** Allows `null`, because OpenAI's clients send it for parameters that are not set. */
export const optionalOrNull = <T extends z.ZodType>(schema: T) => schema.nullish()

/**
 * Rejects a parameter of OpenAI's reference with a reason. Allows `null`, because clients send it for parameters that
 * are not set.
 */
export const rejectedParameter = (reason: string) =>
  z
    .unknown()
    .refine((value) => value === null || value === undefined, reason)
    .optional()
    .meta({ type: 'null' })

export const toolName = z.string().regex(/^[a-zA-Z0-9_.-]{1,128}$/, 'must contain only letters, digits, _, . and -')

const name = z.string().regex(/^[^\s<|\\/>]{1,256}$/, 'must not contain spaces, <, |, \\, / or >')

const breakpoint = { prompt_cache_breakpoint: optionalOrNull(z.strictObject({ mode: z.literal('explicit') })) }

const Text = z.strictObject({ type: z.literal('text'), text: z.string(), ...breakpoint })
const Refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() })

export const texts = z.union([z.string(), z.array(Text).min(1).max(256)])

/** Accepts only image data, not URLs. The model's server would fetch a URL from inside the operator's network. */
export const DataImage = z
  .string()
  .refine(isImage, 'must be data:image/…;base64,…: Millrace does not fetch images by URL')

const Image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({
    url: DataImage,
    detail: optionalOrNull(z.enum(['auto', 'low', 'high'])),
  }),
  ...breakpoint,
})

const Audio = z.strictObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: z.base64(), format: z.enum(['wav', 'mp3']) }),
  ...breakpoint,
})

/** Accepts only file data, not IDs. An ID names a file in the operator's account, which all organisations share. */
const File = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({
    file_data: z.string(),
    filename: optionalOrNull(z.string().max(500)),
    file_id: rejectedParameter('cannot be set: send the content of the file as `file_data`'),
  }),
  ...breakpoint,
})

function isImage(url: string): boolean {
  const comma = url.indexOf(',')
  return comma > 0 && comma < 100 && /^data:image\/[a-z0-9.+-]{1,40};base64$/.test(url.slice(0, comma))
}

const FunctionCall = z.strictObject({ name: toolName, arguments: z.string() })
const callId = z.string().max(200)

const ToolCall = z.discriminatedUnion('type', [
  z.looseObject({ id: callId, type: z.literal('function'), function: FunctionCall }),
  z.looseObject({
    id: callId,
    type: z.literal('custom'),
    custom: z.strictObject({ name: toolName, input: z.string() }),
  }),
])

const instruction = { content: texts, name: optionalOrNull(name) }

/**
 * Allows additional fields, so that clients can send back `choices[0].message` with all fields that the server added.
 */
const Assistant = z
  .looseObject({
    role: z.literal('assistant'),
    content: optionalOrNull(z.union([z.string(), z.array(z.discriminatedUnion('type', [Text, Refusal])).max(256)])),
    refusal: optionalOrNull(z.string()),
    name: optionalOrNull(name),
    tool_calls: optionalOrNull(z.array(ToolCall).max(128)),
    audio: optionalOrNull(z.looseObject({ id: z.string().max(200) })),
    function_call: optionalOrNull(FunctionCall),
  })
  .refine(
    ({ content, tool_calls, refusal, audio, function_call }) =>
      typeof content === 'string' || Boolean(content || tool_calls?.length || refusal || audio || function_call),
    { path: ['content'], message: 'is required if there are no `tool_calls`' },
  )

export const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), ...instruction }),
  z.strictObject({ role: z.literal('developer'), ...instruction }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([
      z.string(),
      z
        .array(z.discriminatedUnion('type', [Text, Image, Audio, File]))
        .min(1)
        .max(256),
    ]),
    name: optionalOrNull(name),
  }),
  Assistant,
  z.strictObject({
    role: z.literal('tool'),
    content: texts,
    tool_call_id: z.string().min(1).max(200),
    name: optionalOrNull(z.string().max(256)),
  }),
  z.strictObject({ role: z.literal('function'), content: z.string().nullable(), name: toolName }),
])
