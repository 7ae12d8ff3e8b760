import { z } from 'zod'
import { allTypes, type EventType, eventKinds } from '#tasks/webhooks/rules/event-types.ts'
import type { Components, Json } from './schemas.ts'

const schemaId = (type: string): string =>
  `events.${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`

const bodies = new Map(
  allTypes.map((type) => {
    const { summary, data } = eventKinds[type]
    const body = z.object({
      type: z.literal(type),
      timestamp: z.iso.datetime().describe('Time of the event'),
      data,
    })
    return [type, body.describe(summary).meta({ id: schemaId(type) })] as const
  }),
)

const header = (name: string, description: string): Json => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
})

/** Headers of every webhook delivery (Standard Webhooks 1.0). */
const parameters = [
  header('webhook-id', 'Same for every attempt. Ignore IDs that you have already processed.'),
  header('webhook-timestamp', 'Time of sending, as a Unix timestamp in seconds.'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64. Several values while a secret is rotated.',
  ),
]

export const webhooksObject = (components: Components): Json =>
  Object.fromEntries(allTypes.map((type) => [type, { post: told(type, components) }]))

function told(type: EventType, components: Components): Json {
  const { summary, sample } = eventKinds[type]
  const schema = components.output(bodies.get(type) as z.ZodType)
  const example = { type, timestamp: '2026-01-01T12:00:00.000Z', data: sample }
  return {
    operationId: `events.${type}`,
    summary,
    // No security scheme is declared, because the signature authenticates the sender.
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: {
      '2XX': {
        description:
          'Accepted. If your server returns any other response, or none within 15 seconds, Millrace retries.',
      },
    },
  }
}
