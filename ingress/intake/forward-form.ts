import { z } from 'zod'
import { WebhookUrl } from '../webhooks/schemas.ts'

export const ForwardForm = z.strictObject({
  url: WebhookUrl.describe('URL of your server that receives the webhooks'),
  headers: z.record(z.string().max(100), z.string().max(2000)).optional(),
  timeout: z.int().min(1).max(900).optional(),
  group: z.string().min(1).max(100).optional(),
})
