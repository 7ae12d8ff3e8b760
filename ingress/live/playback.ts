import type { Context } from 'koa'
import { z } from 'zod'
import { unauthorized } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { LiveGrant } from '#sql/playback/sessions.ts'
import type { Services } from '../http/container.ts'
import { viewerRoute } from '../http/pages/open-routes.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { hostMismatch, tokenInvalid, tokenRevoked, type ViewerRequest } from '../playback/admission.ts'
import { admitLive, admitOpenLive, liveRefusals } from './channel-admission.ts'
import { canonicalFile, invalidDirectives } from './directives.ts'
import { liveOrigins, type OriginAnswer, sessionRevoked } from './origins.ts'
import { livePlaylistUrl, readLiveToken } from './urls.ts'

const notLive = problem(404, 'channel_not_live', 'Nothing is being broadcast on the channel.')

const partNotReady = problem(
  503,
  'part_not_there',
  'The broadcast has paused. The requested part is not available yet.',
)

const shared = {
  ...viewerRoute,
  withoutDatabase: true,
  raw: true,
} as const

const fileName = z.string().regex(/^(index|live|live-(720|480|360))\.m3u8$|^[a-z0-9-]{1,60}\.(m4s|mp4)$/)

export const file = route({
  ...shared,
  path: '/live/play/{token}/{file}',
  summary: 'Serve live playback',
  params: z.object({ token: z.string().max(1000), file: fileName }),
  status: 200,
  problems: ['rate_limited', notLive, partNotReady, ...liveRefusals],
  async handle(call) {
    const { params, ctx, db, services } = call
    const grant = await admitLive(call as ViewerRequest, params.token)
    await proxyFile(ctx, services, { db, grant, viewer: grant.session_id, file: params.file })
  },
})

/** Sends a file of a channel that needs no session. Viewers are counted by IP address and user agent. */
export const openFile = route({
  ...shared,
  path: '/live/open/{channelId}/{file}',
  summary: 'Serve live playback without a token',
  params: z.object({ channelId: pathId('live channel'), file: fileName }),
  status: 200,
  problems: ['not_found', 'rate_limited', notLive, partNotReady, hostMismatch, tokenRevoked],
  async handle(call) {
    const { params, ctx, db, services, ip } = call
    const grant = await admitOpenLive(call as ViewerRequest, params.channelId)
    const viewer = `${ip} ${ctx.get('user-agent').slice(0, 300)}`
    await proxyFile(ctx, services, { db, grant, viewer, file: params.file })
  },
})

const howToPassToken =
  'A playback token is required: `?token=`, with the `token` that `POST /v1/stream/live/channels/{channelId}/playback-sessions` returns.'

export const entry = route({
  ...shared,
  path: '/live/hls/{channelId}/index.m3u8',
  summary: 'Serve live playback by channel',
  params: z.object({ channelId: Id }),
  query: z.object({ token: z.string().max(1000).optional() }),
  status: 302,
  problems: ['unauthorized', ...liveRefusals],
  async handle({ params, query, ctx, origin, services }) {
    const { token } = query
    if (!token) throw unauthorized(howToPassToken)
    const claims = readLiveToken(token, services(signingSecret))
    if (claims?.cid !== params.channelId) throw tokenInvalid('The playback token is not valid for this channel.')
    ctx.set('cache-control', 'no-store')
    ctx.redirect(livePlaylistUrl(origin, token))
  },
})

async function proxyFile(
  ctx: Context,
  services: Services,
  { db, grant, viewer, file }: { db: DatabasePool; grant: LiveGrant; viewer: string; file: string },
): Promise<void> {
  const gone = new AbortController()
  const leave = () => gone.abort(viewerLeft)
  ctx.res.once('close', leave)
  try {
    const answer = await services(liveOrigins).get({
      db,
      channelId: grant.channel_id,
      sessionId: grant.session_id,
      viewer,
      signal: gone.signal,
      file: canonicalFile(file, ctx.query),
      zipped: ctx.acceptsEncodings('gzip') === 'gzip',
    })
    send(ctx, answer)
  } catch (error) {
    if (error === sessionRevoked) throw tokenRevoked('The playback session has ended. Create a new one.')
    if (error !== viewerLeft) throw error
  } finally {
    ctx.res.off('close', leave)
  }
}

const viewerLeft = new Error('The viewer has left.')

function send(ctx: Context, answer: OriginAnswer | undefined): void {
  if (!answer) throw notLive('Nothing is being broadcast on the channel.')
  const { status, headers, body } = answer
  if (status === 400) throw invalidDirectives()
  if (status === 503) throw partNotReady('The next part is not available yet. Try again.')
  if (status !== 200) throw notLive('The broadcast does not have this file, or has already removed it.')
  ctx.set(headers)
  ctx.body = body
}
