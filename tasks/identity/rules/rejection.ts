import { z } from 'zod'

export const RejectionReason = z.object({
  code: z.enum([
    'document_unreadable',
    'document_expired',
    'document_not_accepted',
    'not_the_same_person',
    'suspected_fraud',
  ]),
  reason: z.string().trim().min(1, 'is required: the person sees this text').max(500),
})
