import { z } from 'zod'
import { unauthorized } from '#lib/errors.ts'
import { secret } from '#lib/secret-fields.ts'
import { lastEventId, openEventStream } from '../http/event-stream.ts'
import { liveKeys } from '../http/live-keys.ts'
import { route } from '../http/route.ts'
import { signingSecret, stopping } from '../http/services.ts'
import { messageStreams } from './message-streams.ts'
import { verifyStreamToken } from './streams/token.ts'

export const watch = route({
  method: 'GET',
  path: '/stream',
  summary: 'Stream messages as server-sent events',
  description:
    'For installations with the `push_provider` `sse`. Send the token of the registration as `token` or as `Authorization: Bearer`. The `id` of a `message` event is the number of the user’s event. Its data contains `delivery_id`, `message_id`, `title`, `body`, `image`, `data` and `receipt_token`. A message counts as delivered after its receipt (`POST /receipts`). A client that reconnects with `Last-Event-ID` receives missed messages that have not expired. A client without it receives messages without receipts. `reset`: some missed messages are no longer stored. Returns `204` if the installation was removed, invalidated or moved to a different user. Returns `401` if the token has expired or its API key was revoked. Register again.',
  public: true,
  cors: true,
  limit: { perMinute: 6_000, by: 'ip' },
  query: z.object({
    token: secret(z.string().max(2_000)).optional(),
    last_event_id: z
      .string()
      .max(100)
      .optional()
      .describe('ID of the last event, for clients that cannot send `Last-Event-ID`'),
  }),
  status: 200,
  raw: 'text/event-stream',
  problems: ['unauthorized', 'rate_limited'],
  async handle({ ctx, query, header, services }) {
    const bearer = /^bearer +(\S+) *$/i.exec(header('authorization') ?? '')?.[1]
    const token = verifyStreamToken(query.token ?? bearer ?? '', services(signingSecret))
    const isLive = token !== null && (await services(liveKeys).isLive(token.key_id))
    if (!isLive) throw unauthorized('The stream token is invalid or has expired. Register the installation again.')
    const seen = lastEventId(header('last-event-id'), query.last_event_id)
    const opening = {
      installationId: token.installation_id,
      // An invalid ID counts as newer than all events.
      after: Number.isNaN(seen) ? Number.MAX_SAFE_INTEGER : seen,
    }
    const until = new Date(token.exp * 1000)
    const joined = await services(messageStreams).join(opening, () => {
      if (ctx.res.closed) return
      const stream = openEventStream(ctx, { stopping: services(stopping), until })
      stream.onEnd(services(liveKeys).follow(token.key_id, stream.end))
      return stream
    })
    // Browsers do not reconnect after 204 (HTML standard §9.2.3).
    if (!joined) ctx.status = 204
  },
})
