import { z } from 'zod'
import { notFound, Problem } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as sessions from '#sql/playback/sessions.ts'
import type { Asset } from '#sql/video/assets.ts'
import * as assets from '#sql/video/assets.ts'
import type { Services } from '../http/container.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { problem } from '../http/problem-kinds.ts'
import { removeRoute } from '../http/remove-route.ts'
import { pathId } from '../http/request/validate.ts'
import { groupedRoute, route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { getPlaybackBase, signPlaybackToken } from '../playback/urls.ts'
import { viewerConcurrencyReached } from '../playback/viewer-concurrency.ts'
import { type MintedSession, mintSessions, sessionReply } from '../playback/viewer-sessions.ts'
import { findWindows, type PlayedWindow, rangeOf, WindowedRequest, windowReply } from './playback/session-window.ts'

const notPlayable = problem(409, 'asset_not_ready', 'The asset is not playable yet.')
const isPrivate = problem(409, 'asset_private', 'The asset is private. No one can play it.')

export const mint = groupedRoute({
  method: 'POST',
  path: '/assets/{assetId}/playback-sessions',
  summary: 'Create a playback session',
  description: 'Create one session per viewer. The token works only on the requested host.',
  scope: 'stream:write',
  params: z.object({ assetId: Id }),
  body: WindowedRequest,
  status: 201,
  reply: z
    .object({
      ...sessionReply,
      durationSeconds: z.int().describe('Length of the video, or of the window, in seconds'),
      window: windowReply,
    })
    .meta({ id: 'video.PlaybackSession' }),
  problems: ['not_found', notPlayable, isPrivate, viewerConcurrencyReached],
  example: { body: { expiresInSeconds: 3600, viewerId: 'user-17' } },
  async commit(tx, calls) {
    const ids = calls.map(({ params }) => params.assetId)
    const found = new Map((await assets.findMany(tx, ids)).map((asset) => [asset.id, asset]))
    const wantedOf = ({ params, org }: (typeof calls)[number]) => playable(found.get(params.assetId), org.id)
    const windows = await findWindows(tx, calls, wantedOf)
    const wanted = (call: (typeof calls)[number]) => {
      const window = windows.get(call)
      return window instanceof Problem ? window : wantedOf(call)
    }
    const played = (asset_id: string, { body }: (typeof calls)[number]) => ({ asset_id, ...rangeOf(body) })
    const minted = await mintSessions(tx, calls, wanted, played)
    return minted.map((one) => (one instanceof Problem ? one : answer(one, windows.get(one.call))))
  },
})

export const revoke = removeRoute({
  path: '/assets/playback-sessions/{sessionId}',
  summary: 'Revoke a playback session',
  description: 'Players that use the token of this session stop with their next request.',
  scope: 'stream:write',
  params: z.object({ sessionId: pathId('playback session') }),
  reply: { sessionId: Id },
  done: 'revoked',
  what: 'playback session',
  remove: ({ params, org, db }) => sessions.revoke(db, org.id, params.sessionId),
})

const Session = z
  .object({
    sessionId: Id,
    assetId: Id.nullable(),
    channelId: Id.nullable().describe('ID of a live channel'),
    viewerId: z.string().nullable(),
    host: z.string(),
    allowedCountries: z.array(z.string()),
    blockedCountries: z.array(z.string()),
    maxConcurrent: z.int().nullable().describe('Maximum number of concurrent sessions of the viewer'),
    start: z.number().nullable().describe('Requested start of the window in seconds. `null` without a window.'),
    end: z.number().nullable(),
    expiresAt: Instant,
    revokedAt: Instant.nullable(),
    createdAt: Instant,
  })
  .meta({ id: 'video.ListedSession' })

export const list = listRoute({
  path: '/playback-sessions',
  summary: 'List playback sessions, newest first',
  description:
    'Lists sessions of assets and live channels, without their tokens. Ended sessions are listed for one more day.',
  scope: 'stream:read',
  beyondContract: true,
  filters: sessions.filters,
  query: { viewerId: z.string().min(1).max(255).optional(), assetId: Id.optional(), channelId: Id.optional() },
  item: Session,
  rows: ({ org, db }, page) => sessions.list(db, org.id, page),
  present: (row) => ({
    sessionId: row.id,
    assetId: row.asset_id,
    channelId: row.channel_id,
    viewerId: row.viewer_id,
    host: row.host,
    allowedCountries: row.allowed_countries,
    blockedCountries: row.blocked_countries,
    maxConcurrent: row.max_concurrent,
    start: row.window_start,
    end: row.window_end,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    createdAt: row.created_at,
  }),
})

export const revokeViewer = route({
  method: 'POST',
  path: '/playback-sessions/revoke',
  summary: 'Revoke all playback sessions of a viewer',
  description:
    'Ends every session with this `viewerId`. The next requests of these sessions are rejected. You can create new sessions.',
  scope: 'stream:write',
  beyondContract: true,
  repeatable: true,
  body: z.strictObject({ viewerId: z.string().min(1).max(255) }),
  status: 200,
  reply: z.object({ viewerId: z.string(), revoked: z.int().describe('Number of sessions that were still active') }),
  example: { body: { viewerId: 'user-17' } },
  async handle({ body: { viewerId }, org, db }) {
    return { viewerId, revoked: await sessions.revokeViewer(db, org.id, viewerId) }
  },
})

/** Returns the asset, or the reason why the organisation cannot create a token for it. */
function playable(asset: Asset | undefined, orgId: string): Asset | Problem {
  if (!asset || asset.org_id !== orgId) return notFound('asset')
  if (asset.visibility === 'private') return isPrivate('The asset is private.')
  if (asset.package_id !== null && (asset.status === 'processing' || asset.status === 'ready')) return asset
  return notPlayable(`The asset cannot be played. Its status is ${asset.status}.`, { status: asset.status })
}

function answer(
  { session, what: asset, call: { services }, base }: MintedSession<{ services: Services }, Asset>,
  found: PlayedWindow | Problem | undefined,
) {
  const window = found instanceof Problem ? undefined : found
  const exp = Date.parse(session.expires_at) / 1000
  const token = signPlaybackToken({ sid: session.id, aid: asset.id, host: session.host, exp }, services(signingSecret))
  const played = getPlaybackBase(base, token)
  return {
    sessionId: session.id,
    token,
    hlsUrl: `${played}/master.m3u8`,
    embedUrl: `${played}/embed`,
    expiresAt: session.expires_at,
    durationSeconds: Math.round(window ? window.end - window.start : (asset.duration_seconds ?? 0)),
    ...(window && { window }),
  }
}
