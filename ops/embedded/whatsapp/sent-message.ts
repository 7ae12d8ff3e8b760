import { z } from 'zod'

export const SentMessage = z.looseObject({
  messaging_product: z.literal('whatsapp'),
  recipient_type: z.literal('individual').optional(),
  to: z.string().regex(/^\+?\d{6,15}$/),
  type: z.enum([
    ...(['text', 'image', 'video', 'document', 'audio', 'sticker'] as const),
    ...(['location', 'interactive', 'reaction', 'template'] as const),
  ]),
  context: z.object({ message_id: z.string() }).optional(),
  biz_opaque_callback_data: z.string().max(512).optional(),
})

export const SentTemplate = z.object({
  name: z.string(),
  language: z.object({ code: z.string() }),
  components: z
    .array(z.looseObject({ type: z.string(), parameters: z.array(z.looseObject({ type: z.string() })).default([]) }))
    .default([]),
})

export type SentMessage = z.infer<typeof SentMessage>

export type SentTemplate = z.infer<typeof SentTemplate>
