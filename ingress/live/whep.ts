import { isIPv6 } from 'node:net'
import { z } from 'zod'
import { config } from '#lib/config.ts'
import { Problem, unavailable } from '#lib/errors.ts'
import { Id, newId } from '#lib/ids.ts'
import { getNetwork } from '#lib/network/network.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import * as feeds from '#sql/live/web-feeds.ts'
import * as publishers from '#sql/live/web-publishers.ts'
import type { LiveGrant } from '#sql/playback/sessions.ts'
import { checkViewer } from '#tasks/live/rules/web-offer.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
import type { Services } from '../http/container.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { hostMismatch, tokenRevoked, type ViewerRequest } from '../playback/admission.ts'
import { admitLive, admitOpenLive, liveRefusals } from './channel-admission.ts'
import { readLiveToken } from './urls.ts'
import {
  candidatesRequest,
  connectionNotFound,
  demandOffer,
  mediaUnsupported,
  offerRefused,
  offerRequest,
  offerResponse,
  readCandidates,
  sendAnswer,
} from './web-exchange.ts'
import { webMedia } from './web-media.ts'

const shared = {
  public: true,
  ignoresOtherQuery: true,
  hidden: true,
  cors: true,
  viewers: true,
} as const

const offering = {
  ...shared,
  ...offerRequest,
  ...offerResponse,
  method: 'POST',
  limit: { perMinute: 120, by: 'ip' },
} as const

const notLive = problem(404, 'channel_not_live', 'Nothing is being broadcast on the channel.')
const hlsOnly = problem(409, 'hls_only', 'The broadcast of the encoder has no video, so viewers watch it over HLS.')
const bFrames = problem(409, 'b_frames', 'The encoder sends B-frames, which WebRTC cannot show.')

const problems = ['rate_limited', notLive, hlsOnly, bFrames, mediaUnsupported, offerRefused] as const

export const watch = route({
  ...offering,
  path: '/live/play/{token}/whep',
  summary: 'Watch a live channel over WebRTC (WHEP)',
  params: z.object({ token: z.string().max(1000) }),
  problems: [...problems, ...liveRefusals],
  async handle(call) {
    const { params, body, ctx, set } = call
    const grant = await admitLive(call as ViewerRequest, params.token)
    const { exp } = readLiveToken(params.token, call.services(signingSecret)) ?? { exp: 0 }
    const { sdp, location, id } = await open(call, grant, body.sdp, exp * 1000)
    sendAnswer(ctx, set, sdp, { location, id })
  },
})

export const watchOpen = route({
  ...offering,
  path: '/live/open/{channelId}/whep',
  summary: 'Watch an open live channel over WHEP',
  params: z.object({ channelId: pathId('live channel') }),
  problems: ['not_found', ...problems, hostMismatch, tokenRevoked],
  async handle(call) {
    const { params, body, ctx, set } = call
    const grant = await admitOpenLive(call as ViewerRequest, params.channelId)
    const { sdp, location, id } = await open(call, grant, body.sdp, Date.now() + openMs)
    sendAnswer(ctx, set, sdp, { location, id })
  },
})

/** Maximum duration of a connection without a session, in milliseconds. */
const openMs = 12 * 3_600_000

/**
 * Content of a connection URL: the connection's ID, its worker, the user fragment of its ICE session, and its expiry.
 */
const Ticket = z.object({ id: Id, worker: Id, ufrag: z.string(), exp: z.number() })
const purpose = 'video.live-whep'

async function open(
  { db, services, origin, ip }: ViewerRequest & { db: DatabasePool },
  grant: LiveGrant,
  sdp: string,
  expiresAt: number,
): Promise<{ sdp: string; location: string; id: string }> {
  const ufrag = demandOffer(sdp, checkViewer(sdp))
  const { channel_id: channelId, session_id: sessionId } = grant
  const id = newId()
  const order = {
    id,
    channelId,
    sessionId,
    network: getNetwork(ip, isIPv6(ip) ? 64 : 32),
    expiresAt,
    sdp,
  }
  const publisher = await publishers.findOnAir(db, channelId)
  const { worker_id, answer } = publisher
    ? await offerTo(services, [publisher], { ...order, publicationId: publisher.id })
    : await offerTo(services, await listFeedHosts(db, channelId), { ...order, publicationId: null })
  const ticket = { id, worker: worker_id, ufrag, exp: Math.ceil(expiresAt / 1000) }
  const location = `${getPublicBase(origin)}/v1/stream/live/whep/${signToken(purpose, ticket, services(signingSecret))}`
  return { sdp: answer, location, id }
}

/** Returns the workers that can send the broadcast of an encoder. Throws if nothing is broadcast. */
async function listFeedHosts(db: DatabasePool, channelId: string): Promise<readonly Host[]> {
  const shown = await liveSessions.findShown(db, [channelId])
  if (shown.get(channelId)?.state !== 'live') throw notLive('Nothing is being broadcast on the channel.')
  const hosts = await feeds.listHosts(db, channelId, config.ROOMS_CAPACITY)
  if (hosts.length === 0) throw unavailable('No worker has capacity for WebRTC viewers. Watch over HLS.')
  return hosts
}

/** Sends the offer to the first worker that accepts it. Workers without capacity return 503. */
async function offerTo(
  services: Services,
  hosts: readonly Host[],
  order: ViewerOrder,
): Promise<{ worker_id: string; answer: string }> {
  let failure: unknown
  for (const { worker_id, gateway_url } of hosts) {
    try {
      return { worker_id, answer: await services(webMedia).offer(gateway_url, 'viewers', order) }
    } catch (error) {
      if (!(error instanceof Problem && error.status === 503)) throw error
      failure = error
    }
  }
  throw failure
}

interface Host {
  worker_id: string
  gateway_url: string
}

interface ViewerOrder {
  id: string
  sdp: string
  channelId: string
  publicationId: string | null
  sessionId: string
  network: string
  expiresAt: number
}

const params = z.object({ ticket: z.string().max(1000) })

/** Returns the connection in a URL and the gateway of its worker. Throws 404 if the URL has expired or is forged. */
async function demandTicket({ db, services }: Pick<ViewerRequest, 'db' | 'services'>, text: string) {
  const ticket = verifyToken(purpose, text, services(signingSecret), Ticket)
  const gateway = ticket && (await publishers.findGateway(db, ticket.worker))
  if (!ticket || !gateway) throw connectionNotFound()
  return { ...ticket, gateway }
}

/** Sends the candidates of a viewer. The URL is the only credential. */
export const trickle = route({
  ...shared,
  ...candidatesRequest,
  method: 'PATCH',
  path: '/live/whep/{ticket}',
  summary: 'Send ICE candidates of a viewer (WHEP)',
  limit: { perMinute: 600, by: 'ip' },
  raw: true,
  params,
  async handle(call) {
    const { id, gateway, ufrag } = await demandTicket(call, call.params.ticket)
    const candidates = readCandidates(call.body.fragment, ufrag)
    if (!(await call.services(webMedia).trickle(gateway, id, candidates))) throw connectionNotFound()
  },
})

export const end = route({
  ...shared,
  method: 'DELETE',
  path: '/live/whep/{ticket}',
  summary: 'Stop watching (WHEP)',
  limit: { perMinute: 600, by: 'ip' },
  status: 200,
  raw: true,
  params,
  problems: ['not_found'],
  async handle(call) {
    const { id, gateway } = await demandTicket(call, call.params.ticket)
    if (!(await call.services(webMedia).end(gateway, id))) throw connectionNotFound()
  },
})
