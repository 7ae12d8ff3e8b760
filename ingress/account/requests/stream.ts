import { z } from 'zod'
import { config } from '#lib/config.ts'
import { firstIdAt, getIdTime, Id } from '#lib/ids.ts'
import { InstantInput, queryInt } from '#lib/input-types.ts'
import type { Request } from '#sql/account/usage/requests.ts'
import { formatEvent, lastEventIdQuery, openEventStream } from '../../http/event-stream.ts'
import { route } from '../../http/route.ts'
import { stopping } from '../../http/services.ts'
import { endWithKey, streamEnd } from '../stream-end.ts'
import { lookBackMs, requestFollowers } from './followers.ts'

const Query = z.object({
  key: Id.optional(),
  operation: z.string().max(100).optional(),
  status: queryInt(100, 599).optional(),
  class: queryInt(1, 5).optional().describe('First digit of the HTTP status'),
  code: z.string().max(100).optional(),
  client_id: z.string().max(128).optional(),
  since: InstantInput.optional().describe('Start with requests after this time. Default: only new requests.'),
  ...lastEventIdQuery,
})

type Filter = z.output<typeof Query>

export const stream = route({
  method: 'GET',
  path: '/account/requests/stream',
  summary: 'Stream API requests',
  description:
    'Server-sent events: first `ready`, then one `request` per logged request, as in the list, about two seconds after its response. A client that reconnects with `Last-Event-ID` receives the missed requests. Requests of the last minute can repeat: ignore IDs that you know. If the requests after the position have expired, the first event is `gap`. A stream ends after one hour, or when its API key changes. Reconnect then. Requests that take longer than one minute are only in the list.',
  scope: 'account:logs',
  testKeys: 'sandbox',
  beyondContract: true,
  limit: { perMinute: 60, by: 'key' },
  query: Query,
  status: 200,
  raw: 'text/event-stream',
  problems: ['rate_limited'],
  async handle({ ctx, query, header, org, key, services }) {
    const start = readStart(query, header('last-event-id') || query.last_event_id)
    const owner = { orgId: org.id, testOnly: key.mode === 'test', matches: (one: Request) => isWanted(one, query) }
    services(requestFollowers).join(owner, start.after, () => {
      const opened = openEventStream(ctx, { stopping: services(stopping), until: streamEnd(key) })
      endWithKey(services, key.id, opened)
      const position = start.after ?? firstIdAt(new Date())
      opened.write(start.gap ? formatEvent('gap', gapMessage, position) : formatEvent('ready', { position }, position))
      return opened
    })
  },
})

const gapMessage = { message: 'Requests after your last position are missing, because they have expired.' }

/**
 * Returns the request after which the stream starts. The position of a client is moved back, because entries are not
 * written in the order of their IDs.
 */
function readStart({ since }: Filter, last: string | undefined): { after?: string; gap: boolean } {
  const oldest = Date.now() - config.REQUEST_LOG_DAYS * 86_400_000
  if (last) {
    const at = Id.safeParse(last).success ? getIdTime(last) - lookBackMs : 0
    return { after: firstIdAt(new Date(Math.max(at, oldest))), gap: at < oldest }
  }
  return since === undefined
    ? { gap: false }
    : { after: firstIdAt(new Date(Math.max(Date.parse(since), oldest))), gap: false }
}

/** Requests of this operation are sent only if the client wants them, because each stream causes one. */
const isWanted = (one: Request, wanted: Filter): boolean =>
  (one.operation !== 'account.requests.stream' || wanted.operation === one.operation) &&
  (wanted.key === undefined || one.key_id === wanted.key) &&
  (wanted.operation === undefined || one.operation === wanted.operation) &&
  (wanted.status === undefined || one.status === wanted.status) &&
  (wanted.class === undefined || Math.floor(one.status / 100) === wanted.class) &&
  (wanted.code === undefined || one.code === wanted.code) &&
  (wanted.client_id === undefined || one.client_id === wanted.client_id)
