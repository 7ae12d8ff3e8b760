import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as deliveries from '#sql/webhooks/deliveries.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { findUrlFault, hasLocalOrg } from '#tasks/webhooks/rules/endpoint-url.ts'
import { eventTypes, type WebhookArea } from '#tasks/webhooks/rules/event-types.ts'
import { Instant } from '../http/instant.ts'
import { urlText } from '../http/request/url-text.ts'

const urlSchema = (local: boolean) =>
  urlText((text) => findUrlFault(text, { local })).transform((text) => new URL(text).href)

/** Schema of an endpoint's URL. It is checked without a DNS lookup, and stored in its normalised form. */
export const EndpointUrl = urlSchema(false)

/** Schema of a webhook's URL. The rules of webhooks check which organisation can use a URL of this machine. */
export const WebhookUrl = urlSchema(hasLocalOrg)

/** Returns the schema of an area's event types. Accepts types with or without the area's prefix, and `*`. */
export function eventNames(area: WebhookArea) {
  const { prefix, types } = eventTypes[area]
  const accepted = ['*', ...types.map((type) => type.slice(prefix.length)), ...types]
  const Name = z.enum(accepted as [string, ...string[]])
  return z
    .array(Name)
    .min(1)
    .max(accepted.length)
    .describe(`${types.join(', ')}. The prefix can be omitted. \`*\`: all events, including future ones.`)
    .transform((names) => {
      const full = names.map((name) => (name === '*' || name.startsWith(prefix) ? name : prefix + name))
      return full.includes('*') ? ['*'] : [...new Set(full)]
    })
}

export const Endpoint = z
  .object({
    id: Id,
    url: z.string(),
    events: z.array(z.string()).describe('Events that the endpoint receives. `*`: all.'),
    status: endpoints.Endpoint.shape.status.describe('A `disabled` endpoint receives nothing'),
    disabled_reason: z.string().nullable(),
    disabled_at: Instant.nullable(),
    failing_since: Instant.nullable().describe(
      'Start of the current failures: every attempt since then has failed. After 5 days, the endpoint is disabled.',
    ),
    previous_secret_until: Instant.nullable().describe(
      'Time until which deliveries are also signed with the previous secret',
    ),
    created_at: Instant,
  })
  .meta({ id: 'webhooks.Endpoint' })

export const EndpointWithSecret = Endpoint.extend({
  secret: secret(z.string()).describe('Secret that verifies signatures. Returned only in this response.'),
}).meta({ id: 'webhooks.EndpointWithSecret' })

/** Returns an endpoint. `prefix` is removed from the names of events. */
export function presentEndpoint(endpoint: endpoints.Endpoint, prefix: string): z.input<typeof Endpoint> {
  const { id, url, status, disabled_reason, disabled_at, failing_since, previous_until, created_at } = endpoint
  const events = endpoint.events.map((type) => (type.startsWith(prefix) ? type.slice(prefix.length) : type))
  const previous_secret_until = previous_until && previous_until > new Date() ? previous_until : null
  return { id, url, events, status, disabled_reason, disabled_at, failing_since, previous_secret_until, created_at }
}

export const Delivery = z
  .object({
    id: Id,
    event_id: Id.describe('ID of the event: the `webhook-id` of every attempt'),
    type: z.string(),
    status: deliveries.Status,
    attempts: z.int(),
    response_status: z
      .int()
      .nullable()
      .describe('HTTP status of the last attempt. `null` if the server did not respond.'),
    latency_ms: z.int().nullable(),
    response_head: z.string().nullable().describe('Start of the response body, up to 1 KiB'),
    error: z.string().nullable(),
    attempted_at: Instant.nullable(),
    next_attempt_at: Instant.nullable().describe('`null` if no further attempt follows'),
    created_at: Instant,
  })
  .meta({ id: 'webhooks.Delivery' })

export function presentDelivery({ status, due_at, ...delivery }: deliveries.View): z.input<typeof Delivery> {
  return { ...delivery, status, next_attempt_at: status === 'pending' ? due_at : null }
}

export const TestResult = z
  .object({
    event_id: Id,
    delivered: z.boolean(),
    response_status: z.int().nullable(),
    latency_ms: z.int(),
    response_head: z.string().nullable(),
    error: z.string().nullable(),
  })
  .meta({ id: 'webhooks.TestResult' })
