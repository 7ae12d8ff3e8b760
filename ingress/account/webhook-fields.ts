import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { secret } from '#lib/secret-fields.ts'
import type * as endpoints from '#sql/webhooks/endpoints.ts'
import { eventTypes, getEventArea, isEventType, typePatterns } from '#tasks/webhooks/rules/event-types.ts'
import type { Doer } from '#tasks/webhooks/rules/manage.ts'
import { Instant } from '../http/instant.ts'
import { WebhookUrl } from '../webhooks/schemas.ts'
import { type Acting, actForKey } from './acting.ts'

const Pattern = z
  .string()
  .max(100)
  .refine((text) => isEventType(text) || typePatterns.has(text), {
    message: 'must be an event type such as email.bounced, a group such as email.*, or *',
  })

export const Patterns = z
  .array(Pattern)
  .min(1)
  .max(200)
  .transform((given) => (given.includes('*') ? ['*'] : [...new Set(given)]))
  .describe('Event types such as `email.bounced`, groups such as `email.*`, or `*`. Groups include future types.')

export const fields = {
  url: WebhookUrl,
  types: Patterns,
  name: z.string().trim().min(1).max(100).nullable().describe('Display name'),
  mode: z
    .enum(['live', 'test'])
    .nullable()
    .describe('Mode of the events. `null` for live and test events. Events of test keys are test events.'),
}

export const Webhook = z
  .object({
    id: Id,
    name: z.string().nullable(),
    url: z.string(),
    types: z.array(z.string()),
    mode: fields.mode,
    area: z.string().nullable().describe('Area whose events the endpoint receives. `null`: all areas.'),
    status: z.enum(['enabled', 'paused', 'disabled']).describe('While the webhook is `paused`, its events are queued.'),
    disabled_reason: z.string().nullable(),
    disabled_at: Instant.nullable(),
    paused_at: Instant.nullable(),
    failing_since: Instant.nullable().describe(
      'Start of the current failures: all attempts since this time failed. After 5 days, Millrace disables the webhook.',
    ),
    previous_secret_until: Instant.nullable().describe(
      'Time until which deliveries are also signed with the previous secret',
    ),
    created_at: Instant,
  })
  .meta({ id: 'account.Webhook' })

export const WebhookWithSecret = Webhook.extend({
  secret: secret(z.string()).describe('Signing secret. Returned only in this response.'),
}).meta({ id: 'account.WebhookWithSecret' })

export function present(endpoint: endpoints.Endpoint): z.input<typeof Webhook> {
  const { id, name, url, events: types, mode, area, paused_at, previous_until, ...rest } = endpoint
  const { status, disabled_reason, disabled_at, failing_since, created_at } = rest
  return {
    id,
    name,
    url,
    types,
    mode,
    area,
    status: status === 'enabled' && paused_at ? 'paused' : status,
    disabled_reason,
    disabled_at,
    paused_at,
    failing_since,
    previous_secret_until: previous_until && previous_until > new Date() ? previous_until : null,
    created_at,
  }
}

interface Asking {
  org: { id: string }
  key: { id: string; name: string; mode: 'live' | 'test' }
  requestId: string
}

export function webhookActor(call: Acting): Doer {
  return { ...actForKey(call), mode: boundTo(call.key) }
}

export function webhookOwner({ org, key }: Pick<Asking, 'org' | 'key'>): endpoints.Owner {
  return { orgId: org.id, mode: boundTo(key) }
}

/** Test keys can access only webhooks and events of tests. */
const boundTo = ({ mode }: Asking['key']) => (mode === 'test' ? mode : undefined)

/** Throws 400 if an endpoint of one area subscribes to events of another area. */
export function demandTypesOfArea(area: string | null, events: readonly string[]): void {
  if (area === null) return
  const strange = events.findIndex((one) => one !== '*' && getEventArea(one) !== area)
  if (strange < 0) return
  const { prefix } = eventTypes[area as keyof typeof eventTypes]
  throw badRequest([
    {
      field: `body.types.${strange}`,
      issue: `must start with ${prefix}, because this webhook receives only events of that area`,
    },
  ])
}
