import { z } from 'zod'
import { notFound, type Problem } from '#lib/errors.ts'
import { secret } from '#lib/secret-fields.ts'
import type { Channel } from '#sql/live/channels.ts'
import * as channels from '#sql/live/channels.ts'
import type { Services } from '../http/container.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { viewerConcurrencyReached } from '../playback/viewer-concurrency.ts'
import { type MintedSession, mintSessions, SessionRequest, sessionReply } from '../playback/viewer-sessions.ts'
import { livePageUrl, livePlaylistUrl, signLiveToken, whepUrl } from './urls.ts'

export const mint = groupedRoute({
  method: 'POST',
  path: '/live/channels/{channelId}/playback-sessions',
  summary: 'Create a live playback session',
  description:
    'Create one session per viewer. The session cannot open an asset. To revoke it, call `DELETE /v1/stream/assets/playback-sessions/{sessionId}`.',
  scope: 'stream:write',
  params: z.object({ channelId: pathId('live channel') }),
  body: SessionRequest,
  status: 201,
  reply: z
    .object({
      ...sessionReply,
      whepUrl: secret(z.url()).describe(
        'The same broadcast over WebRTC, with a delay of about half a second. Not available if an encoder sends B-frames.',
      ),
      durationSeconds: z.literal(0).describe('Always 0: a broadcast has no duration yet'),
    })
    .meta({ id: 'live.PlaybackSession' }),
  problems: ['not_found', viewerConcurrencyReached],
  example: { body: { expiresInSeconds: 3600, viewerId: 'user-17' } },
  async commit(tx, calls) {
    const ids = calls.map(({ params }) => params.channelId)
    const found = new Map((await channels.findMany(tx, ids)).map((channel) => [channel.id, channel]))
    const wanted = ({ params, org }: (typeof calls)[number]): Channel | Problem => {
      const channel = found.get(params.channelId)
      return channel?.org_id === org.id ? channel : notFound('live channel')
    }
    const minted = await mintSessions(tx, calls, wanted, (channel_id) => ({ channel_id }))
    return minted.map((one) => ('call' in one ? answer(one) : one))
  },
})

function answer({ session, what: channel, call: { services }, base }: MintedSession<{ services: Services }, Channel>) {
  const exp = Date.parse(session.expires_at) / 1000
  const token = signLiveToken({ sid: session.id, cid: channel.id, host: session.host, exp }, services(signingSecret))
  return {
    sessionId: session.id,
    token,
    hlsUrl: livePlaylistUrl(base, token),
    embedUrl: livePageUrl(base, token),
    whepUrl: whepUrl(base, token),
    expiresAt: session.expires_at,
    durationSeconds: 0 as const,
  }
}
