import type { Context } from 'koa'
import { z } from 'zod'
import { badRequest } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import { problem } from '../http/problem-kinds.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { type Asking, tokenInvalid, tokenRevoked } from './admission.ts'
import { admitLive, liveRefusals } from './live/admission.ts'
import { liveOrigins, type OriginAnswer, revoked } from './live/origins.ts'
import { livePlaylist, readLive } from './live/playback-urls.ts'

const notLive = problem(404, 'channel_not_live', 'nothing is being broadcast on the channel')

const notYet = problem(503, 'part_not_there', 'the broadcast has paused: what was waited for has not come')

const shared = {
  method: 'GET',
  public: true,
  hidden: true,
  cors: true,
  limit: false,
  viewers: true,
  raw: true,
} as const

/** Playlists, parts and segments of a channel, for a live session: handed on to the worker that has the channel. */
export const file = route({
  ...shared,
  path: '/live/play/{token}/{file}',
  summary: 'Live playback origin',
  params: z.object({
    token: z.string().max(1000),
    file: z.string().regex(/^(index|live)\.m3u8$|^[a-z0-9-]{1,60}\.(m4s|mp4)$/),
  }),
  status: 200,
  problems: [notLive, notYet, ...liveRefusals],
  async handle(call) {
    const { params, ctx, services } = call
    const { channel_id: channelId, session_id: sessionId } = await admitLive(call as Asking, params.token)
    const gone = new AbortController()
    const leave = () => gone.abort(left)
    ctx.res.once('close', leave)
    try {
      const answer = await services(liveOrigins).get({
        ...{ channelId, sessionId, signal: gone.signal },
        file: params.file + directives(ctx.query),
        zipped: ctx.acceptsEncodings('gzip') === 'gzip',
      })
      send(ctx, answer)
    } catch (error) {
      if (error === revoked) throw tokenRevoked('The playback session is over.')
      if (error !== left) throw error
    } finally {
      ctx.res.off('close', leave)
    }
  },
})

/** A channel's own address: leads a viewer to the playlist of their session. */
export const entry = route({
  ...shared,
  path: '/live/hls/{channelId}/index.m3u8',
  summary: 'Live playback by channel',
  params: z.object({ channelId: Id }),
  query: z.object({ token: z.string().max(1000) }),
  status: 302,
  problems: [...liveRefusals],
  async handle({ params, query, ctx, origin, services }) {
    const claims = readLive(query.token, services(signingSecret))
    if (claims?.cid !== params.channelId) throw tokenInvalid('The playback token is not valid for this channel.')
    ctx.set('cache-control', 'no-store')
    ctx.redirect(livePlaylist(origin, query.token))
  },
})

/** The viewer has gone, and nobody reads the answer. */
const left = new Error('The viewer has left.')

/** The delivery directives of a request (RFC 8216bis 6.2.5), which alone are handed on. */
function directives(query: Context['query']): string {
  const known = ['_HLS_msn', '_HLS_part', '_HLS_skip'].flatMap((name) => {
    const value = query[name]
    return typeof value === 'string' && value.length <= 20 ? [`${name}=${encodeURIComponent(value)}`] : []
  })
  return known.length > 0 ? `?${known.join('&')}` : ''
}

function send(ctx: Context, answer: OriginAnswer | undefined): void {
  if (!answer) throw notLive('Nothing is being broadcast on the channel.')
  const { status, headers, body } = answer
  if (status === 400) {
    throw badRequest([
      { field: 'query._HLS_msn', issue: 'with _HLS_part, is no number or too far ahead of the playlist' },
    ])
  }
  if (status === 503) throw notYet('The next part has not come yet.')
  if (status !== 200) throw notLive('The broadcast has no such file, or no longer.')
  ctx.set(headers)
  ctx.body = body
}
