import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { createSampleId, kind } from './kind.ts'

const Endpoint = z.strictObject({ app_id: Id, endpoint_id: Id, url: z.string() })

const endpoint = {
  app_id: createSampleId(90),
  endpoint_id: createSampleId(91),
  url: 'https://customer.example.com/webhooks',
}

export const hooks = {
  'hooks.endpoint.disabled': kind(
    'An endpoint of your customer was disabled, because it failed for 5 days or returned 410 Gone.',
    Endpoint.extend({ reason: z.string() }),
    { ...endpoint, reason: 'The endpoint returned 410 Gone.' },
  ),
  'hooks.message.failed': kind(
    'A message did not reach an endpoint of your customer. No further attempt follows.',
    Endpoint.extend({
      message_id: Id,
      attempts: z.int(),
      response_status: z
        .int()
        .nullable()
        .describe(
          'HTTP status of the last attempt. `null` without a response, or if the message can no longer be sent.',
        ),
      error: z.string(),
    }),
    {
      ...endpoint,
      message_id: createSampleId(92),
      attempts: 10,
      response_status: 500,
      error: 'The endpoint returned 500.',
    },
  ),
}
