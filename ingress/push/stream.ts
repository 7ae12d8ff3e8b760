import { z } from 'zod'
import { unauthorized } from '#lib/errors.ts'
import { secret } from '#lib/secret-fields.ts'
import { lastEventId, openEventStream } from '../http/event-stream.ts'
import { liveKeys } from '../http/live-keys.ts'
import { route } from '../http/route.ts'
import { signingSecret, stopping } from '../http/services.ts'
import { messageStreams } from './message-streams.ts'
import { verifyStreamToken } from './stream-token.ts'

/** `GET /push/v1/stream`: the messages of an installation, as server-sent events. */
export const watch = route({
  method: 'GET',
  path: '/stream',
  summary: 'Receive messages as server-sent events',
  description:
    'For an installation whose `push_provider` is `sse`, with the token that its registration has answered, in `token` or as ' +
    '`Authorization: Bearer`. Each event `message` has the number of the person’s event as `id`, and `delivery_id`, `message_id`, ' +
    '`title`, `body`, `image`, `data` and `receipt_token` as data. It counts as delivered when its receipt has come ' +
    '(`POST /receipts`). A client that comes back with `Last-Event-ID` gets what it has missed and is still of use; one without gets what no ' +
    'receipt has confirmed. `reset`: some of what was missed is not kept. 204 when the installation is removed, invalidated or another ' +
    'person’s, 401 when the token is over, or the API key is that it was made with: register again.',
  public: true,
  cors: true,
  limit: { perMinute: 6_000, by: 'ip' },
  query: z.object({
    token: secret(z.string().max(2_000)).optional(),
    last_event_id: z.string().max(100).optional().describe('Before the first `Last-Event-ID`: the last event seen'),
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
      // What is no id of ours is ahead of everything.
      after: Number.isNaN(seen) ? Number.MAX_SAFE_INTEGER : seen,
    }
    const until = new Date(token.exp * 1000)
    const joined = await services(messageStreams).join(opening, () => {
      if (ctx.res.closed) return
      const stream = openEventStream(ctx, { stopping: services(stopping), until })
      stream.onEnd(services(liveKeys).follow(token.key_id, stream.end))
      return stream
    })
    // With 204 a browser stays away (HTML standard §9.2.3).
    if (!joined) ctx.status = 204
  },
})
