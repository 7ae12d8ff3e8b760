import { z } from 'zod'
import { forbidden } from '#lib/errors.ts'
import { secret } from '#lib/secret-fields.ts'
import { signToken } from '#lib/tokens.ts'
import { UserId } from '#lib/user-id.ts'
import { getPosition } from '#sql/notify/users.ts'
import { lastEventId, lastEventIdQuery, openEventStream } from '../http/event-stream.ts'
import { Instant } from '../http/instant.ts'
import { liveKeys } from '../http/live-keys.ts'
import { route } from '../http/route.ts'
import { signingSecret, stopping } from '../http/services.ts'
import { ProductKey } from './fields.ts'
import { inboxStreams } from './inbox-streams.ts'
import { getPersonKey } from './mark-items.ts'
import { checkPageToken, type PageToken, purpose } from './page-token.ts'

export const createToken = route({
  method: 'POST',
  path: '/stream-tokens',
  repeatable: true,
  summary: 'Create a token for an inbox stream',
  description:
    'For a web page, which must not have an API key. First create the token, then load the inbox, then open `url` with `EventSource`. The stream starts with the changes since the token was created. It ends when the token expires or its API key is revoked. The web page then needs a new token.',
  scope: 'notify:read',
  body: z.strictObject({
    user_id: UserId,
    product_key: ProductKey.optional(),
    ttl_seconds: z.int().min(60).max(86_400).default(3_600),
    marks: z
      .boolean()
      .default(false)
      .describe(
        'True if the web page can also mark items, as `<mill-inbox>` does. The key needs the `notify:write` scope.',
      ),
  }),
  status: 200,
  reply: z.object({
    url: secret(z.url()).describe('URL for `EventSource`, with all parameters'),
    token: secret(z.string()),
    last_event_id: z.string(),
    expires_at: Instant,
  }),
  problems: ['forbidden'],
  async handle({ body: { user_id, product_key, ttl_seconds, marks }, org, key, db, origin, services }) {
    if (marks && !key.scopes.includes('notify:write'))
      throw forbidden('This API key does not have the `notify:write` scope.')
    const exp = Math.floor(Date.now() / 1000) + ttl_seconds
    const claims: PageToken = { org: org.id, key: key.id, user: user_id, product: product_key, marks, exp }
    const token = signToken(purpose, claims, services(signingSecret))
    const last_event_id = String((await getPosition(db, getPersonKey(org.id, user_id))).last)
    const query = new URLSearchParams({ user_id, token, last_event_id })
    const url = `${origin}/v1/notify/stream?${query}`
    return { url, token, last_event_id, expires_at: new Date(exp * 1000) }
  },
})

export const watch = route({
  method: 'GET',
  path: '/stream',
  summary: 'Stream an inbox',
  description:
    'Server-sent events: `item` (as in the inbox), `read` (`ids`, `read_at`), `marked` (`items` with their `id` and marks), `unread_count`, and `reset` (too many changes: load the inbox again). A client that reconnects with `Last-Event-ID` receives the missed changes. Returns `401` if the token has expired. Create a new token.',
  public: true,
  cors: true,
  limit: { perMinute: 600, by: 'ip' },
  query: z.object({
    user_id: UserId,
    token: secret(z.string().max(2_000)),
    ...lastEventIdQuery,
  }),
  status: 200,
  raw: 'text/event-stream',
  problems: ['unauthorized', 'rate_limited'],
  async handle({ ctx, query, header, services }) {
    const token = await checkPageToken(query.token, services, query.user_id)
    if (ctx.res.closed) return
    const { org, user: subject, product: productKey, exp } = token
    const seen = lastEventId(header('last-event-id'), query.last_event_id)
    // An invalid ID counts as older than all changes.
    const after = Number.isNaN(seen) ? -1 : seen
    services(inboxStreams).join({ ...getPersonKey(org, subject), subject, productKey }, after, () => {
      const stream = openEventStream(ctx, { stopping: services(stopping), until: new Date(exp * 1000) })
      stream.onEnd(services(liveKeys).follow(token.key, stream.end))
      return stream
    })
  },
})
