import type { Db } from '#sql/db.ts'
import type { Broadcast, EndReason } from '#sql/live/broadcasts.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import * as chats from '#sql/live/chats.ts'
import * as scheduled from '#sql/live/scheduled.ts'
import { emit } from '../../webhooks/rules/emit.ts'

/** Marks a broadcast as live. Sends the webhook the first time. */
export async function markBroadcastLive(tx: Db, id: string): Promise<void> {
  const broadcast = await broadcasts.setLive(tx, id)
  if (!broadcast) return
  await scheduled.setStarted(tx, broadcast.channel_id, broadcast.id)
  await chats.notifyState(tx, broadcast.channel_id)
  await emitLive(tx, broadcast, 'video.live.started')
}

/** Ends a broadcast once. Sends the webhook if the broadcast was live. */
export async function endBroadcast(tx: Db, id: string, reason: EndReason): Promise<void> {
  const broadcast = await broadcasts.setEnded(tx, id, reason)
  if (broadcast) await chats.notifyState(tx, broadcast.channel_id)
  if (broadcast?.live_at) await emitLive(tx, broadcast, 'video.live.ended')
}

/** Marks the recording of a broadcast as playable. Sends the webhook the first time. */
export async function markBroadcastRecorded(tx: Db, id: string): Promise<void> {
  const broadcast = await broadcasts.setRecorded(tx, id)
  if (broadcast) await emitLive(tx, broadcast, 'video.live.recorded')
}

/**
 * Called for every asset that becomes playable. If the asset is a recording, it has the ID of its broadcast. The
 * webhook is sent the first time.
 */
export const markRecordingPlayable = (tx: Db, assetId: string): Promise<void> => markBroadcastRecorded(tx, assetId)

async function emitLive(
  tx: Db,
  broadcast: Broadcast,
  type: 'video.live.started' | 'video.live.ended' | 'video.live.recorded',
): Promise<void> {
  const channel = await channels.findIncludingDeleted(tx, broadcast.channel_id)
  await emit(tx, broadcast.org_id, type, {
    broadcastId: broadcast.id,
    channelId: broadcast.channel_id,
    name: channel.name,
    slug: channel.slug,
    startedAt: broadcast.started_at.toISOString(),
    endedAt: broadcast.ended_at?.toISOString() ?? null,
    endReason: broadcast.end_reason,
    assetId: broadcast.asset_id,
  })
}
