import { z } from 'zod'
import { allTypes, type EventType, eventKinds } from '#tasks/webhooks/rules/event-types.ts'
import type { Components, Json } from './schemas.ts'

/** The name of an event's schema: `email.bounced` is `events.EmailBounced`. */
const schemaId = (type: string): string =>
  `events.${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`

/** The body that endpoints are sent, by its type. */
const bodies = new Map(
  allTypes.map((type) => {
    const { summary, data } = eventKinds[type]
    const body = z.object({
      type: z.literal(type),
      timestamp: z.iso.datetime().describe('When it happened'),
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

/** What every delivery carries beside its body, by Standard Webhooks 1.0. */
const parameters = [
  header('webhook-id', 'The same for every attempt: forget ids that you have seen.'),
  header('webhook-timestamp', 'When it was sent, in seconds since 1970.'),
  header(
    'webhook-signature',
    '`v1,` and the HMAC-SHA256 of `id.timestamp.body` in base64; several while a secret is rotated.',
  ),
]

/** The `webhooks` of a document (OpenAPI 3.1 §4.8.1): what is posted to endpoints, by type. */
export const webhooksObject = (components: Components): Json =>
  Object.fromEntries(allTypes.map((type) => [type, { post: told(type, components) }]))

function told(type: EventType, components: Components): Json {
  const { summary, sample } = eventKinds[type]
  const schema = components.output(bodies.get(type) as z.ZodType)
  const example = { type, timestamp: '2026-01-01T12:00:00.000Z', data: sample }
  return {
    operationId: `events.${type}`,
    summary,
    // No key: a signature tells who sends it.
    security: [],
    parameters,
    requestBody: { required: true, content: { 'application/json': { schema, example } } },
    responses: { '2XX': { description: 'Taken. Anything else, or nothing within 15 seconds, has it sent again.' } },
  }
}
