import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import * as endpoints from '#sql/webhooks/endpoints.ts'
import { Instant } from '../http/instant.ts'
import { WebhookUrl } from '../webhooks/schemas.ts'
import { Description, Filters, Headers, labels, Patterns, presentRate, Rate } from './fields.ts'

const Channels = labels(10)
  .refine((given) => given.length > 0, 'must have at least one channel. Use null for all messages.')
  .nullable()
  .describe('Channels of which the endpoint receives messages. `null`: all messages.')

/** Schemas of the settings of an endpoint. */
export const settings = {
  url: WebhookUrl,
  types: Patterns,
  description: Description.nullable(),
  filters: Filters,
  channels: Channels,
  headers: Headers,
  rate: Rate.nullable(),
  disabled: z.boolean(),
}

export const Endpoint = z
  .object({
    id: Id,
    url: z.string(),
    types: z.array(z.string()),
    description: z.string().nullable(),
    filters: z.array(endpoints.Filter),
    channels: z.array(z.string()).nullable(),
    header_names: z.array(z.string()).describe('Names of the additional headers. Their values are not returned.'),
    rate: Rate.nullable(),
    status: endpoints.Endpoint.shape.status.describe('A `disabled` endpoint receives no new messages'),
    disabled_reason: z.string().nullable(),
    disabled_at: Instant.nullable(),
    failing_since: Instant.nullable().describe(
      'Start of the current failures: all attempts since this time failed. After 5 days, Millrace disables the endpoint.',
    ),
    previous_secret_until: Instant.nullable().describe(
      'Time until which messages are also signed with the previous secret',
    ),
    created_at: Instant,
  })
  .meta({ id: 'hooks.Endpoint' })

export const EndpointWithSecret = Endpoint.extend({
  secret: secret(z.string()).describe('Secret that verifies signatures'),
}).meta({ id: 'hooks.EndpointWithSecret' })

export const present = (row: endpoints.Endpoint): z.input<typeof Endpoint> => ({
  id: row.id,
  url: row.url,
  types: row.events,
  description: row.description,
  filters: row.filters ?? [],
  channels: row.channels,
  header_names: row.header_names ?? [],
  rate: presentRate(row),
  status: row.status,
  disabled_reason: row.disabled_reason,
  disabled_at: row.disabled_at,
  failing_since: row.failing_since,
  previous_secret_until: row.previous_until && row.previous_until > new Date() ? row.previous_until : null,
  created_at: row.created_at,
})
