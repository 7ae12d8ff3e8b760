import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import { createSeal } from '#lib/seal.ts'
import { secret } from '#lib/secret-fields.ts'
import { hashSecret } from '#lib/tokens.ts'
import * as channels from '#sql/live/channels.ts'
import * as broadcasts from '#sql/rooms/broadcasts.ts'
import * as rooms from '#sql/rooms/rooms.ts'
import { Instant } from '../http/instant.ts'
import { mustFind } from '../http/must-find.ts'
import { problem } from '../http/problem-kinds.ts'
import { pathId } from '../http/request/validate.ts'
import { route } from '../http/route.ts'
import { signingSecret } from '../http/services.ts'
import { findRoomGateway } from './place.ts'
import { roomEnded } from './room-view.ts'

const params = z.object({ roomId: pathId('room') })

const wrongKey = problem(403, 'stream_key_invalid', 'The stream key does not belong to the channel.')
const broadcastActive = problem(409, 'broadcast_active', 'The room is already being broadcast.')
const broadcastNotFound = problem(404, 'broadcast_not_found', 'The room is not being broadcast.')

const BroadcastView = z
  .object({
    broadcastId: Id,
    roomId: Id,
    channelId: Id,
    state: z.enum(['starting', 'live', 'ended', 'failed']).describe('`live` when viewers can watch the channel'),
    startedAt: Instant,
    liveAt: Instant.nullable(),
    endedAt: Instant.nullable(),
    endReason: broadcasts.EndReason.nullable(),
    message: z.string().nullable().describe('Reason for a failure'),
  })
  .meta({ id: 'rooms.Broadcast' })

const presentBroadcast = (row: broadcasts.Broadcast): z.input<typeof BroadcastView> => ({
  broadcastId: row.id,
  roomId: row.room_id,
  channelId: row.channel_id,
  state: row.state,
  startedAt: row.started_at,
  liveAt: row.live_at,
  endedAt: row.ended_at,
  endReason: row.end_reason,
  message: row.message,
})

export const start = route({
  method: 'POST',
  path: '/rooms/{roomId}/broadcast',
  summary: 'Broadcast a room to a live channel',
  description:
    'Combines the video and audio of all publishers and sends the result to the channel, like an encoder. The broadcast has no gaps when people join or leave. While no one is publishing, it shows the name of the room. The broadcast starts immediately and ends with the room.',
  scope: 'stream:write',
  params,
  body: z.strictObject({
    channelId: Id,
    streamKey: secret(z.string().min(1).max(200)).describe('Primary or backup key of the channel'),
  }),
  status: 201,
  reply: BroadcastView,
  problems: ['not_found', wrongKey, broadcastActive, roomEnded],
  example: { body: { channelId: '0198d2c4-7f00-7000-8000-000000000000', streamKey: 'live_…' } },
  async handle({ params: { roomId }, body: { channelId, streamKey }, org, db, services }) {
    const id = newId()
    const sealed = createSeal(services(signingSecret), broadcasts.sealPurpose).close(streamKey, id)
    return await db.transaction(async (tx) => {
      const room = await mustFind(rooms.find(tx, org.id, roomId), 'room')
      if (room.ended_at) throw roomEnded('The room has ended.', { endedAt: room.ended_at })
      const channel = await mustFind(channels.find(tx, org.id, channelId), 'live channel')
      if (![channel.primary_hash, channel.backup_hash].includes(hashSecret(streamKey)))
        throw wrongKey('body.streamKey must be the primary or the backup key of the channel.')
      const row = { id, room_id: roomId, org_id: org.id, channel_id: channelId }
      const begun = await broadcasts.insert(tx, { ...row, stream_key: sealed })
      if (!begun) throw broadcastActive('The room is already being broadcast. Stop that broadcast first.')
      // If no worker has the room, the worker with the lowest load opens it.
      await findRoomGateway(tx, roomId)
      await rooms.notifyChanged(tx, roomId)
      return presentBroadcast(begun)
    })
  },
})

export const read = route({
  method: 'GET',
  path: '/rooms/{roomId}/broadcast',
  summary: 'Read the broadcast of a room',
  description: 'Returns the last broadcast, even if it has ended.',
  scope: 'stream:read',
  beyondContract: true,
  params,
  status: 200,
  reply: BroadcastView,
  problems: ['not_found', broadcastNotFound],
  async handle({ params: { roomId }, org, db }) {
    await mustFind(rooms.find(db, org.id, roomId), 'room')
    const last = await broadcasts.findLast(db, roomId)
    if (!last) throw broadcastNotFound('The room was never broadcast.')
    return presentBroadcast(last)
  },
})

export const stop = route({
  method: 'DELETE',
  path: '/rooms/{roomId}/broadcast',
  summary: 'Stop the broadcast of a room',
  description: 'The room stays open. The broadcast ends when the live channel has received the last frame.',
  scope: 'stream:write',
  beyondContract: true,
  params,
  status: 202,
  reply: BroadcastView,
  problems: ['not_found', broadcastNotFound],
  async handle({ params: { roomId }, org, db }) {
    return await db.transaction(async (tx) => {
      await mustFind(rooms.find(tx, org.id, roomId), 'room')
      const asked = await broadcasts.requestStop(tx, roomId)
      if (!asked) throw broadcastNotFound('The room is not being broadcast.')
      await rooms.notifyChanged(tx, roomId)
      return presentBroadcast(asked)
    })
  },
})
