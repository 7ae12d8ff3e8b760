import { LRUCache } from 'lru-cache'
import { Agent, request } from 'undici'
import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { revokedChannel } from '#sql/live/channels.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import { getSessionUrl } from '#sql/session-url.ts'
import { signOriginToken } from '#tasks/live/rules/origin-token.ts'
import { service } from '../http/container.ts'
import { createConcurrencyLimiter } from '../http/limits/at-once.ts'
import { isDatabaseUnavailable } from '../http/problems.ts'
import { signingSecret } from '../http/services.ts'
import { dropRevokedGrant } from '../playback/grants.ts'
import { Audience } from './audience.ts'
import { canBlock } from './directives.ts'
import { SharedRequests } from './shared-requests.ts'

export interface OriginAnswer {
  status: number
  headers: Record<string, string>
  body: Buffer
}

export interface OriginRequest {
  db: DatabasePool
  channelId: string
  /** ID by which the request can be revoked: the playback session, or the channel if it needs no session. */
  sessionId: string
  viewer: string
  /** Path and query in the form that `canonicalFile` returns. */
  file: string
  zipped: boolean
  signal: AbortSignal
}

export interface LiveOrigins {
  /**
   * Fetches a file. Returns undefined if no worker has the channel, or if its worker is not responding. Rejects with
   * the reason of the signal, with `revoked`, or with 429 if the viewer has too many open requests.
   */
  get(request: OriginRequest): Promise<OriginAnswer | undefined>
  close(): Promise<void>
}

export const sessionRevoked = new Error('The playback session was revoked.')

/** Time to live in milliseconds of a channel's cached worker. */
const placeMs = 500

/** Time in milliseconds in which viewers can watch the end of a broadcast after its worker released the channel. */
const lastPlaceMs = 90_000

/** Timeout of a request to an origin in milliseconds. An origin blocks a request for up to 12 s. */
const timeoutMs = 15_000

/** Maximum number of open requests per viewer. Players have up to three. */
const maxRequestsPerViewer = 8

/** Maximum number of connections to one worker: for immediate responses, and for responses that can wait for a part. */
const [connections, blockedConnections] = [128, 1024]

const passedOn = ['content-type', 'content-encoding', 'cache-control', 'vary']

export const liveOrigins = service<LiveOrigins>({
  name: 'video.live-origins',
  open: ({ db, services }) => createLiveOrigins(db, () => services(signingSecret)),
  close: (origins) => origins.close(),
})

/** Opens connections only when they are needed for a request. */
function createLiveOrigins(db: DatabasePool, secret: () => string): LiveOrigins {
  const agentWith = (most: number) =>
    new Agent({ connections: most, connect: { timeout: 1_000 }, headersTimeout: timeoutMs })
  const [prompt, blocked] = [agentWith(connections), agentWith(blockedConnections)]
  const places = new LRUCache<string, Promise<string | undefined>>({ max: 10_000, ttl: placeMs })
  const lastPlaces = new LRUCache<string, string>({ max: 10_000, ttl: lastPlaceMs })
  // Cached files. The names of parts and segments are unique, so their content never changes.
  const files = new LRUCache<string, OriginAnswer>({
    maxSize: 96 * 1024 ** 2,
    maxEntrySize: 16 * 1024 ** 2,
    ttl: 60_000,
    sizeCalculation: ({ body }) => body.length + 500,
  })
  const underWay = new SharedRequests<OriginAnswer | undefined>()
  const placeFor = createConcurrencyLimiter({ requests: Number.POSITIVE_INFINITY, ofOne: maxRequestsPerViewer })
  const waiting = new Map<string, Set<AbortController>>()
  const audience = new Audience()
  const name = newId()
  let listener: Listener | undefined

  /** Returns the channel's worker. If the database is unavailable, returns the last known worker. */
  async function findPlace(channelId: string, asker: DatabasePool): Promise<string | undefined> {
    try {
      const held = await liveSessions.findHeld(asker, channelId)
      if (held) lastPlaces.set(channelId, held.origin_url)
      return held?.origin_url ?? lastPlaces.get(channelId)
    } catch (error) {
      const last = isDatabaseUnavailable(error) ? lastPlaces.get(channelId) : undefined
      if (!last) throw error
      return last
    }
  }

  function placeOf({ channelId, db: asker }: OriginRequest): Promise<string | undefined> {
    const known = places.get(channelId)
    if (known !== undefined) return known
    const found = findPlace(channelId, asker)
    places.set(channelId, found)
    found.catch(() => places.delete(channelId))
    return found
  }

  /** Sends one request to the worker, even if several viewers request the same file. */
  async function fetchOnce(
    place: string,
    { channelId, file, zipped }: OriginRequest,
    signal: AbortSignal,
  ): Promise<OriginAnswer | undefined> {
    const url = `${place}/${channelId}/${file}`
    const key = `${zipped} ${url}`
    const kept = files.get(key)
    if (kept) return kept
    const dispatcher = canBlock(file) ? blocked : prompt
    const headers = {
      authorization: `Bearer ${signOriginToken(channelId, secret())}`,
      'x-viewers': `${name} ${audience.count(channelId)}`,
      ...(zipped ? { 'accept-encoding': 'gzip' } : {}),
    }
    return await underWay.join(key, signal, async (abandoned) => {
      const answer = await fetchFrom(url, { dispatcher, headers, signal: abandoned })
      if (answer?.headers['cache-control']?.includes('immutable')) files.set(key, answer)
      if (!answer && !abandoned.aborted) places.delete(channelId)
      return answer
    })
  }

  function watch({ db: asker, sessionId, signal }: OriginRequest) {
    listener ??= hear(asker)
    const ended = new AbortController()
    const mates = waiting.get(sessionId) ?? new Set()
    waiting.set(sessionId, mates.add(ended))
    return {
      signal: AbortSignal.any([signal, ended.signal]),
      [Symbol.dispose]() {
        mates.delete(ended)
        if (mates.size === 0) waiting.delete(sessionId)
      },
    }
  }

  function hear(asker: DatabasePool): Listener {
    const heard = listen(getSessionUrl(db), [revokedChannel])
    heard.on(revokedChannel, (sessionId) => {
      dropRevokedGrant(asker, sessionId)
      for (const waiter of waiting.get(sessionId) ?? []) waiter.abort(sessionRevoked)
    })
    return heard
  }

  return {
    async get(wish) {
      const { channelId, viewer } = wish
      using _place = placeFor(`${channelId} ${viewer}`)
      audience.see(channelId, viewer)
      using watched = watch(wish)
      const place = await placeOf(wish)
      if (!place) return undefined
      return await fetchOnce(place, wish, watched.signal)
    },
    async close() {
      await listener?.close()
      await Promise.all([prompt.destroy(), blocked.destroy()])
    },
  }
}

async function fetchFrom(
  url: string,
  { signal, ...options }: { dispatcher: Agent; headers: Record<string, string>; signal: AbortSignal },
): Promise<OriginAnswer | undefined> {
  try {
    const answer = await request(url, { ...options, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
    const body = Buffer.from(await answer.body.arrayBuffer())
    const passed = passedOn.flatMap((field) => {
      const value = answer.headers[field]
      return typeof value === 'string' ? [[field, value] as const] : []
    })
    // The worker no longer has the channel.
    if (answer.statusCode === 404 && answer.headers['x-live'] === 'none') return undefined
    return { status: answer.statusCode, headers: Object.fromEntries(passed), body }
  } catch {
    return undefined
  }
}
