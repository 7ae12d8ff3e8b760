import { z } from 'zod'
import { PhoneNumber } from '#lib/phone-number.ts'
import type { GivenMessage } from '#sql/whatsapp/messages.ts'
import { Audio, ClientReference, Document, ImageOrVideo, ProviderMessageId, Sticker, text } from './fields.ts'
import { Interactive } from './interactive-form.ts'
import { TemplateForm } from './template-form.ts'

const Text = z.strictObject({ body: text(4_096), preview_url: z.boolean().optional() })

const contents = {
  text: z.union([Text, text(4_096).transform((body) => ({ body }))], {
    error: 'must be a text of 1 to 4096 characters, or {"body": …, "preview_url": …} with such a text',
  }),
  image: ImageOrVideo,
  video: ImageOrVideo,
  document: Document,
  audio: Audio,
  sticker: Sticker,
  location: z.strictObject({
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
    name: text(1_000).optional(),
    address: text(1_000).optional(),
  }),
  interactive: Interactive,
  reaction: z.strictObject({
    message_id: ProviderMessageId,
    emoji: z.string().max(20).describe('Reaction emoji. An empty string removes the reaction.'),
  }),
} as const

const types = Object.keys(contents) as [keyof typeof contents, ...(keyof typeof contents)[]]

export const MessageForm = z
  .strictObject({
    to: PhoneNumber.describe('Recipient in E.164 format'),
    type: z.enum(types).optional().describe('Required only if the content does not determine the type'),
    ...z.object(contents).partial().shape,
    context: z
      .strictObject({ message_id: ProviderMessageId })
      .optional()
      .describe('Message to which this message replies'),
    fallback_template: TemplateForm.optional().describe(
      'Template that is sent instead if the 24-hour window is closed or WhatsApp rejects the message',
    ),
    client_reference: ClientReference.optional(),
  })
  .superRefine((form, { addIssue }) => {
    const given = types.filter((type) => form[type] !== undefined)
    const { type = given[0] } = form
    if (type === undefined)
      addIssue({ code: 'custom', message: `must have one of these contents: ${types.join(', ')}` })
    else if (form[type] === undefined) {
      addIssue({ code: 'custom', path: [type], message: `is required for a message of the type ${type}` })
    }
    for (const other of given) {
      if (other !== type) addIssue({ code: 'custom', path: [other], message: `cannot be used with the type ${type}` })
    }
  })

export type MessageForm = z.infer<typeof MessageForm>

export const getContentType = (form: MessageForm): string =>
  form.type ?? types.find((one) => form[one] !== undefined) ?? 'text'

/** Returns the columns of a message. Fields with the name of a column pass through. */
export function columnsOf(form: MessageForm): Omit<GivenMessage, 'org_id'> {
  const { to, context, fallback_template, ...rest } = form
  const { text, image, video, document, audio, sticker, location, interactive, reaction, ...columns } = rest
  const type = getContentType(form)
  const content = { ...form[type as (typeof types)[number]] }
  return { ...columns, phone: to, type, content, fallback: fallback_template, context_message_id: context?.message_id }
}

export const TemplateMessageForm = z.strictObject({
  to: PhoneNumber.describe('Recipient in E.164 format'),
  template: TemplateForm,
  client_reference: ClientReference.optional(),
})
