import { z } from 'zod'
import { textOr } from '../http/request/issues.ts'
import { DataImage, optionalOrNull, rejectedParameter, toolName } from './completion-messages.ts'

const notStored = 'cannot be used: Millrace does not store responses. Send the whole conversation in `input`'

const text = (type: 'input_text' | 'output_text') => z.looseObject({ type: z.literal(type), text: z.string() })

const InputText = z.strictObject({ type: z.literal('input_text'), text: z.string() })

/** Accepts only data, not URLs and IDs, for the reasons in `completion-messages.ts`. */
const InputImage = z.strictObject({
  type: z.literal('input_image'),
  image_url: DataImage,
  detail: optionalOrNull(z.enum(['auto', 'low', 'high', 'original'])),
  file_id: rejectedParameter('cannot be set: send the image as data in `image_url`'),
})

const InputFile = z.strictObject({
  type: z.literal('input_file'),
  file_data: z.string(),
  filename: optionalOrNull(z.string().max(500)),
  file_id: rejectedParameter('cannot be set: send the content of the file as `file_data`'),
  file_url: rejectedParameter('cannot be set: send the content of the file as `file_data`'),
})

const InputPart = z.discriminatedUnion('type', [InputText, InputImage, InputFile])
const inputParts = z.array(InputPart).max(256)

const Refusal = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })

const AnswerPart = z.discriminatedUnion('type', [text('output_text'), text('input_text'), Refusal])

const message = {
  type: z.literal('message').optional(),
  id: optionalOrNull(z.string().max(200)),
  status: optionalOrNull(z.string().max(32)),
}

const content = textOr(z.string(), inputParts.min(1))

const Message = z.discriminatedUnion('role', [
  z.strictObject({ ...message, role: z.literal('user'), content }),
  z.strictObject({ ...message, role: z.literal('system'), content }),
  z.strictObject({ ...message, role: z.literal('developer'), content }),
  // Clients send answers back with all fields that a server added.
  z.looseObject({
    ...message,
    role: z.literal('assistant'),
    content: textOr(z.string(), z.array(AnswerPart).max(256)),
  }),
])

const callId = z.string().min(1).max(200)

const Item = z.discriminatedUnion('type', [
  Message,
  z.looseObject({ type: z.literal('function_call'), call_id: callId, name: toolName, arguments: z.string() }),
  z.looseObject({
    type: z.literal('function_call_output'),
    call_id: callId,
    output: textOr(z.string(), inputParts),
  }),
  z.looseObject({ type: z.literal('reasoning'), summary: z.array(z.looseObject({})).max(256) }),
  z.looseObject({ type: z.literal('custom_tool_call'), call_id: callId, name: toolName, input: z.string() }),
  z.looseObject({
    type: z.literal('custom_tool_call_output'),
    call_id: callId,
    output: textOr(z.string(), inputParts),
  }),
  z.looseObject({ type: z.literal('item_reference'), id: rejectedParameter(notStored) }),
])

export const Input = textOr(z.string().min(1), z.array(Item).min(1).max(2_048)).describe(
  'A text, or messages, function calls and their outputs, oldest first',
)
