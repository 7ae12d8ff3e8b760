import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Broadcast } from '#sql/live/broadcasts.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import * as liveSessions from '#sql/live/sessions.ts'
import { Instant } from '../http/instant.ts'
import { listRoute } from '../http/lists/pagination.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'

const params = z.object({ channelId: pathId('live channel') })

const idle = problem(409, 'channel_idle', 'No publisher is connected to the channel.')

const Recording = z.enum(['none', 'recording', 'processing', 'ready'])

const BroadcastView = z
  .object({
    broadcastId: Id,
    startedAt: Instant,
    liveAt: Instant.nullable().describe('Time at which viewers could first watch the broadcast'),
    endedAt: Instant.nullable(),
    endReason: broadcasts.EndReason.nullable().describe(
      '`stopped`: the encoder ended the broadcast. `silent`: no data arrived. `ended` or `deleted`: ended through the API. `lost`: the worker stopped unexpectedly. `failed`: the broadcast could not be packaged.',
    ),
    recording: Recording.describe('`processing` until the asset can be played. `none` if the channel did not record.'),
    assetId: Id.nullable().describe('Asset of the recording'),
    recordedAt: Instant.nullable().describe('Time at which the recording could first be played'),
  })
  .meta({ id: 'live.Broadcast' })

export const list = listRoute({
  path: '/live/channels/{channelId}/broadcasts',
  summary: 'List broadcasts of a live channel',
  description: 'Returns the broadcasts of the channel, newest first, with their duration, end reason and recording.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  problems: ['not_found'],
  item: BroadcastView,
  async rows({ params: { channelId }, org, db }, page) {
    await mustFind(channels.find(db, org.id, channelId), 'live channel')
    return await broadcasts.list(db, org.id, channelId, page)
  },
  present: (broadcast) => ({
    broadcastId: broadcast.id,
    startedAt: broadcast.started_at,
    liveAt: broadcast.live_at,
    endedAt: broadcast.ended_at,
    endReason: broadcast.end_reason,
    recording: recordingOf(broadcast),
    assetId: broadcast.asset_id,
    recordedAt: broadcast.recorded_at,
  }),
})

function recordingOf({ record, live_at, ended_at, asset_id, recorded_at }: Broadcast): z.input<typeof Recording> {
  if (recorded_at) return asset_id ? 'ready' : 'none'
  if (!record || (ended_at && !live_at && !asset_id)) return 'none'
  return ended_at ? 'processing' : 'recording'
}

export const end = route({
  method: 'POST',
  path: '/live/channels/{channelId}/end',
  repeatable: true,
  summary: 'End the broadcast of a live channel',
  description:
    'Ends the broadcast in progress. Encoders reconnect automatically, so Millrace rejects publishers for `holdSeconds`.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  body: z.strictObject({ holdSeconds: z.int().min(0).max(86_400).default(30) }),
  status: 202,
  reply: z.object({ channelId: Id, broadcastId: Id, holdSeconds: z.int() }),
  problems: ['not_found', idle],
  example: { body: { holdSeconds: 60 } },
  async handle({ params: { channelId }, body: { holdSeconds }, org, db }) {
    return await db.transaction(async (tx) => {
      await mustFind(channels.find(tx, org.id, channelId), 'live channel')
      const session = await liveSessions.requestEnd(tx, channelId, 'ended')
      if (!session) throw idle('No publisher is connected to the channel.')
      await channels.close(tx, channelId, holdSeconds)
      await channels.notifyChanged(tx, channelId)
      return { channelId, broadcastId: session.broadcast_id, holdSeconds }
    })
  },
})
