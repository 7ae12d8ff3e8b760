import { LRUCache } from 'lru-cache'
import { Agent, request } from 'undici'
import { newId } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import { type Listener, listen } from '#sql/listen.ts'
import { revokedChannel } from '#sql/live/channels.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import { sessionUrl } from '#sql/session-url.ts'
import { signOrigin } from '#tasks/live/rules/origin-token.ts'
import { service } from '../http/container.ts'
import { createPlaces } from '../http/limits/at-once.ts'
import { isDatabaseAway } from '../http/problems.ts'
import { signingSecret } from '../http/services.ts'
import { forgetRevoked } from '../playback/grants.ts'
import { Audience } from './audience.ts'
import { mayBlock } from './directives.ts'
import { SharedRequests } from './shared-requests.ts'

/** What the origin of a channel answered. */
export interface OriginAnswer {
  status: number
  /** Those that viewers get, too. */
  headers: Record<string, string>
  body: Buffer
}

/** A viewer's request for a file of a channel. */
export interface OriginRequest {
  db: DatabasePool
  channelId: string
  /** What is revoked when it may not be watched any more: the session, or without one the channel. */
  sessionId: string
  /** Who is counted as watching. */
  viewer: string
  /** As `canonicalFile` has it. */
  file: string
  /** Whether the viewer takes gzip. */
  zipped: boolean
  /** Aborted when the viewer is gone. */
  signal: AbortSignal
}

/** The workers that package channels, as one ingress process reaches them. */
export interface LiveOrigins {
  /**
   * Undefined when no worker has the channel, or it cannot be reached; rejects with the signal's reason, with `revoked`, or with 429 when
   * the viewer has too many requests open.
   */
  get(request: OriginRequest): Promise<OriginAnswer | undefined>
  close(): Promise<void>
}

/** Why a request that waited is refused: its session was revoked meanwhile. */
export const revoked = new Error('The playback session was revoked.')

/** Milliseconds for which a channel is taken to be where it was. */
const placeMs = 500

/** Milliseconds for which viewers see a broadcast to its end, after its worker has given the channel up. */
const lastPlaceMs = 90_000

/** Milliseconds after which an origin is given up; it blocks a request for 12 s at most. */
const timeoutMs = 15_000

/** Requests that a viewer has open at once: players have three. */
const mostOfViewer = 8

/** Connections to one worker for requests that it answers at once, and for those that it may let wait. */
const [connections, blockedConnections] = [128, 1024]

const passedOn = ['content-type', 'content-encoding', 'cache-control', 'vary']

/** The origins of this process. */
export const liveOrigins = service<LiveOrigins>({
  name: 'video.live-origins',
  open: ({ db, services }) => createLiveOrigins(db, () => services(signingSecret)),
  close: (origins) => origins.close(),
})

/** Opens nothing before the first request. */
function createLiveOrigins(db: DatabasePool, secret: () => string): LiveOrigins {
  const agentWith = (most: number) =>
    new Agent({ connections: most, connect: { timeout: 1_000 }, headersTimeout: timeoutMs })
  const [prompt, blocked] = [agentWith(connections), agentWith(blockedConnections)]
  const places = new LRUCache<string, Promise<string | undefined>>({ max: 10_000, ttl: placeMs })
  const lastPlaces = new LRUCache<string, string>({ max: 10_000, ttl: lastPlaceMs })
  // Names of parts and segments never mean anything else.
  const files = new LRUCache<string, OriginAnswer>({
    maxSize: 96 * 1024 ** 2,
    maxEntrySize: 16 * 1024 ** 2,
    ttl: 60_000,
    sizeCalculation: ({ body }) => body.length + 500,
  })
  const underWay = new SharedRequests<OriginAnswer | undefined>()
  const placeFor = createPlaces({ requests: Number.POSITIVE_INFINITY, ofOne: mostOfViewer })
  const waiting = new Map<string, Set<AbortController>>()
  const audience = new Audience()
  const name = newId()
  let listener: Listener | undefined

  /** While the database is away a channel is where it was. */
  async function findPlace(channelId: string, asker: DatabasePool): Promise<string | undefined> {
    try {
      const held = await liveSessions.findHeld(asker, channelId)
      if (held) lastPlaces.set(channelId, held.origin_url)
      return held?.origin_url ?? lastPlaces.get(channelId)
    } catch (error) {
      const last = isDatabaseAway(error) ? lastPlaces.get(channelId) : undefined
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

  /** One request upstream, however many viewers ask for the same. */
  async function fetchOnce(
    place: string,
    { channelId, file, zipped }: OriginRequest,
    signal: AbortSignal,
  ): Promise<OriginAnswer | undefined> {
    const url = `${place}/${channelId}/${file}`
    const key = `${zipped} ${url}`
    const kept = files.get(key)
    if (kept) return kept
    const dispatcher = mayBlock(file) ? blocked : prompt
    const headers = {
      authorization: `Bearer ${signOrigin(channelId, secret())}`,
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

  /** Aborts when the viewer goes or the session is revoked. */
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
    const heard = listen(sessionUrl(db), [revokedChannel])
    heard.on(revokedChannel, (sessionId) => {
      forgetRevoked(asker, sessionId)
      for (const waiter of waiting.get(sessionId) ?? []) waiter.abort(revoked)
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
    // Its worker knows the channel no more.
    if (answer.statusCode === 404 && answer.headers['x-live'] === 'none') return undefined
    return { status: answer.statusCode, headers: Object.fromEntries(passed), body }
  } catch {
    return undefined
  }
}
