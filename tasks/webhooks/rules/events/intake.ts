import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind } from './kind.ts'

const Received = z.strictObject({
  id: Id.describe('Request ID'),
  source_id: Id,
  source_name: z.string(),
  provider: z.enum(['stripe', 'github', 'shopify', 'slack', 'hmac', 'standard']),
  event_id: z.string().nullable().describe('ID that the provider gave the event'),
  event_type: z.string().nullable().describe('Type that the provider gave the event'),
  status: z.enum(['forwarded', 'held', 'stored', 'filtered']),
  content_type: z.string().nullable(),
  size: z.int().describe('Size of the body in bytes'),
})

export const intake = {
  'intake.request.received': kind('A webhook with a valid signature has arrived at a source.', Received, {
    id: createSampleId(70),
    source_id: createSampleId(71),
    source_name: 'Stripe',
    provider: 'stripe',
    event_id: 'evt_1PgafmB7WZ01zgkW6dKueIc5',
    event_type: 'invoice.paid',
    status: 'forwarded',
    content_type: 'application/json',
    size: 2_481,
  }),
}
