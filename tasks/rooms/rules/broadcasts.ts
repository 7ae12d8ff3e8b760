import type { Seal } from '#lib/seal.ts'
import { hashSecret } from '#lib/tokens.ts'
import type { Db } from '#sql/db.ts'
import * as channels from '#sql/live/channels.ts'
import { findShown } from '#sql/live/sessions.ts'
import * as broadcasts from '#sql/rooms/broadcasts.ts'
import type { BroadcastAttempt, BroadcastEnd, RoomBroadcasts } from '../engine.ts'

/** Time in milliseconds for which ingest may refuse a broadcast that was never live. */
const refusedMs = 60_000

export function createRoomBroadcasts(db: Db, seal: Seal): RoomBroadcasts {
  return {
    findOpen: (roomId) => broadcasts.findOpen(db, roomId),
    keyOf: (broadcast) => keyOf(broadcast, seal),
    whyOver: (broadcast, attempt) => whyOver(db, seal, broadcast, attempt),
    follow: (broadcast) => follow(db, broadcast),
    end: ({ id }, { reason, message }) => broadcasts.setEnded(db, id, reason, message),
  }
}

const keyOf = ({ id, stream_key }: broadcasts.Broadcast, seal: Seal) => seal.open(stream_key, id)

async function whyOver(
  db: Db,
  seal: Seal,
  broadcast: broadcasts.Broadcast,
  { isPublished, failure, since }: BroadcastAttempt,
): Promise<BroadcastEnd | undefined> {
  if (broadcast.stop_requested) return { reason: 'stopped' }
  // While the room is published, ingest checks the channel and its keys.
  if (isPublished) return undefined
  const channel = await channels.findAny(db, broadcast.channel_id)
  if (!channel) return { reason: 'channel_deleted', message: 'The live channel was deleted.' }
  if (channel.closed_until && channel.closed_until.getTime() > Date.now()) return { reason: 'channel_ended' }
  const key = keyOf(broadcast, seal)
  if (!key || ![channel.primary_hash, channel.backup_hash].includes(hashSecret(key)))
    return {
      reason: 'key_changed',
      message: 'The stream key of the broadcast was rotated. Start a new broadcast with the current key.',
    }
  if (!failure || broadcast.state === 'live' || Date.now() - since < refusedMs) return undefined
  return { reason: 'refused', message: `Live ingest rejected the broadcast: ${failure}` }
}

async function follow(db: Db, { id, channel_id, state }: broadcasts.Broadcast): Promise<void> {
  if (state !== 'starting') return
  const shown = await findShown(db, [channel_id])
  if (shown.get(channel_id)?.state === 'live') await broadcasts.setLive(db, id)
}
