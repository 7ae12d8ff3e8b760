import { z } from 'zod'
import { forbidden } from '#lib/errors.ts'
import { isEventType, typePatterns } from '#tasks/webhooks/rules/event-types.ts'
import { lastEventId, lastEventIdQuery, openEventStream } from '../../http/event-stream.ts'
import { route } from '../../http/route.ts'
import { stopping } from '../../http/services.ts'
import { endWithKey, streamEnd } from '../stream-end.ts'
import { eventFollowers } from './followers.ts'

const isPattern = (word: string): boolean => isEventType(word) || typePatterns.has(word)

/** Words that are separated by commas. */
const Words = z
  .string()
  .min(1)
  .max(4_000)
  .transform((text) => [...new Set(text.split(',').map((word) => word.trim()))].filter((word) => word !== ''))

const Types = Words.check((ctx) => {
  const unknown = ctx.value.filter((word) => !isPattern(word))
  if (unknown.length > 0)
    ctx.issues.push({
      code: 'custom',
      input: ctx.value,
      message: `must contain only event types such as email.bounced, groups such as email.*, or *, not ${unknown.join(', ').slice(0, 200)}`,
    })
})

export const stream = route({
  method: 'GET',
  path: '/account/events/stream',
  summary: 'Stream events',
  description:
    'Server-sent events: first `ready` with the position, then one event per event type, with the `id`, `type`, `timestamp` and `data` of the event. A webhook receives the same event without `id`. `sample` is `true` for events of the trigger operation. A client that reconnects with `Last-Event-ID` receives all missed events, for up to 24 hours after its last connection. If events are missing, the first event is `gap`. A stream ends after one hour, or when its API key changes. Reconnect then. Test keys receive only test events.',
  scope: 'account:webhooks',
  testKeys: 'sandbox',
  beyondContract: true,
  limit: { perMinute: 120, by: 'key' },
  query: z.object({
    types: Types.optional().describe(
      'Event types such as `email.bounced` and groups such as `email.*`, separated by commas. Default: all events.',
    ),
    mode: z.enum(['live', 'test']).optional().describe('Default: live and test events'),
    ...lastEventIdQuery,
  }),
  status: 200,
  raw: 'text/event-stream',
  problems: ['rate_limited'],
  async handle({ ctx, query: { types, mode: only, last_event_id }, header, org, key, services }) {
    if (key.mode === 'test' && only === 'live') throw forbidden('A test key can follow only test events.')
    const seen = lastEventId(header('last-event-id'), last_event_id)
    // An invalid ID counts as older than all events.
    const after = Number.isNaN(seen) ? -1 : seen
    const owner = { orgId: org.id, keyId: key.id, mode: key.mode === 'test' ? 'test' : 'all', types, only } as const
    await services(eventFollowers).join(owner, after, () => {
      if (ctx.res.closed) return undefined
      const opened = openEventStream(ctx, { stopping: services(stopping), until: streamEnd(key), mostBuffered })
      endWithKey(services, key.id, opened)
      return opened
    })
  },
})

/** Maximum size of the buffered data in bytes. It has room for one batch of events and for the largest event. */
const mostBuffered = 4 * 1_048_576
