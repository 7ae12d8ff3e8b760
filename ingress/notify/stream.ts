import { z } from 'zod'
import { unauthorized } from '#lib/errors.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'
import { position } from '#sql/notify/users.ts'
import { lastEventId, openEventStream } from '../http/event-stream.ts'
import { Instant } from '../http/instant.ts'
import { liveKeys } from '../http/live-keys.ts'
import { route } from '../http/route.ts'
import { signingSecret, stopping } from '../http/services.ts'
import { ProductKey, UserId } from './fields.ts'
import { inboxStreams } from './inbox-streams.ts'

const purpose = 'notify stream'

/** What a stream token says: whose inbox, of which product, by which key it was made, until when. */
const Token = z.object({ org: z.guid(), key: z.guid(), user: UserId, product: z.string().optional(), exp: z.number() })

/** Makes what a page opens the stream of one person's inbox with. */
export const createToken = route({
  method: 'POST',
  path: '/stream-tokens',
  repeatable: true,
  summary: 'Make a token for the stream of an inbox',
  description:
    'For a page, which must never have an API key. Load the inbox after this, then open `url` with `EventSource`: the stream begins ' +
    'with what has happened since. When the token ends, or the API key that it was made with is revoked, so does the stream, and the page needs another one.',
  scope: 'notify:read',
  body: z.strictObject({
    user_id: UserId,
    product_key: ProductKey.optional(),
    ttl_seconds: z.int().min(60).max(86_400).default(3_600),
  }),
  status: 200,
  reply: z.object({
    url: z.url().describe('With everything in it that `EventSource` needs'),
    token: z.string(),
    last_event_id: z.string(),
    expires_at: Instant,
  }),
  async handle({ body: { user_id, product_key, ttl_seconds }, org, key, db, origin, services }) {
    const exp = Math.floor(Date.now() / 1000) + ttl_seconds
    const claims = { org: org.id, key: key.id, user: user_id, product: product_key, exp }
    const token = signToken(purpose, claims, services(signingSecret))
    const last_event_id = String((await position(db, { org_id: org.id, user_id })).last)
    const query = new URLSearchParams({ user_id, token, last_event_id })
    const url = `${origin}/v1/notify/stream?${query}`
    return { url, token, last_event_id, expires_at: new Date(exp * 1000) }
  },
})

/** `GET /v1/notify/stream`: what happens to an inbox, as server-sent events. */
export const watch = route({
  method: 'GET',
  path: '/stream',
  summary: 'Watch an inbox',
  description:
    'Server-sent events: `item` (as the inbox has it), `read` (`ids`, `read_at`), `unread_count`, and `reset`: too much has happened ' +
    'since the last event, so load the inbox anew. A client that comes back gets what it missed (`Last-Event-ID`). 401 when the token is ' +
    'over: make another one.',
  public: true,
  cors: true,
  limit: { perMinute: 600, by: 'ip' },
  query: z.object({
    user_id: UserId,
    token: z.string().max(2_000),
    last_event_id: z.string().max(100).optional().describe('Before the first `Last-Event-ID`: the last event seen'),
  }),
  status: 200,
  raw: 'text/event-stream',
  problems: ['unauthorized', 'rate_limited'],
  async handle({ ctx, query, header, services }) {
    const token = verifyToken(purpose, query.token, services(signingSecret), Token)
    const isLive = token !== null && (await services(liveKeys).isLive(token.key))
    if (!isLive || token.user !== query.user_id)
      throw unauthorized('The stream token is not valid any more, or another’s.')
    if (ctx.res.closed) return
    const { org: org_id, user: user_id, product: productKey, exp } = token
    const seen = lastEventId(header('last-event-id'), query.last_event_id)
    // What is no id of ours is older than everything.
    const after = Number.isNaN(seen) ? -1 : seen
    services(inboxStreams).join({ org_id, user_id, productKey }, after, () => {
      const stream = openEventStream(ctx, { stopping: services(stopping), until: new Date(exp * 1000) })
      stream.onEnd(services(liveKeys).follow(token.key, stream.end))
      return stream
    })
  },
})
