import { isIPv6 } from 'node:net'
import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { getNetwork } from '#lib/network/network.ts'
import { signToken, verifyToken } from '#lib/tokens.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import * as publishers from '#sql/live/web-publishers.ts'
import type { LiveGrant } from '#sql/playback/sessions.ts'
import { checkViewer } from '#tasks/live/rules/web-offer.ts'
import { getPublicBase } from '#tasks/video/rules/open-url.ts'
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
const hlsOnly = problem(
  409,
  'hls_only',
  'The broadcast arrives over RTMP or SRT, so viewers can watch it only over HLS.',
)

const problems = ['rate_limited', notLive, hlsOnly, mediaUnsupported, offerRefused] as const

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
  const publisher = await publishers.findOnAir(db, channelId)
  if (!publisher) {
    const isLive = (await liveSessions.findShown(db, [channelId])).has(channelId)
    throw isLive
      ? hlsOnly('The broadcast comes from an encoder. WebRTC is available only for broadcasts over WHIP, so use HLS.')
      : notLive('Nothing is being broadcast on the channel.')
  }
  const id = newId()
  const order = {
    id,
    channelId,
    publicationId: publisher.id,
    sessionId,
    network: getNetwork(ip, isIPv6(ip) ? 64 : 32),
    expiresAt,
    sdp,
  }
  const answer = await services(webMedia).offer(publisher.gateway_url, 'viewers', order)
  const ticket = { id, worker: publisher.worker_id, ufrag, exp: Math.ceil(expiresAt / 1000) }
  const location = `${getPublicBase(origin)}/v1/stream/live/whep/${signToken(purpose, ticket, services(signingSecret))}`
  return { sdp: answer, location, id }
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
