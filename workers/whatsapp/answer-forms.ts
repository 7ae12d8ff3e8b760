import { z } from 'zod'

export const SendResponse = z.object({
  contacts: z
    .array(z.object({ wa_id: z.string().regex(/^\d{5,20}$/) }))
    .min(1)
    .optional(),
  messages: z.array(z.object({ id: z.string().min(1).max(500) })).min(1),
})

const paging = z
  .object({ cursors: z.object({ after: z.string().optional() }).optional(), next: z.string().optional() })
  .optional()

export const TemplatePage = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      language: z.string(),
      status: z.string(),
      category: z.string(),
      parameter_format: z.string().default('POSITIONAL'),
      components: z.array(z.looseObject({ type: z.string() })).default([]),
      rejected_reason: z.string().max(1_000).nullish().catch(null),
    }),
  ),
  paging,
})

export const CreatedTemplate = z.object({
  id: z.string().min(1).max(100),
  status: z.string().max(50),
  category: z.string().max(50).optional(),
})

export const Success = z.object({ success: z.literal(true) })

export const UploadedMedia = z.object({ id: z.string().min(1).max(200) })

export const MediaPlace = z.object({
  url: z.url().max(4_096),
  mime_type: z.string().max(200),
  sha256: z.string().max(100).optional(),
  file_size: z.coerce.number().int().min(0).optional(),
})

export const NumberFacts = z.object({
  id: z.string(),
  display_phone_number: z.string().max(50).optional(),
  verified_name: z.string().max(500).optional(),
})

export const NumberPage = z.object({ data: z.array(z.object({ id: z.string() })), paging })
