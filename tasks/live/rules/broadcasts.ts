import type { Db } from '#sql/db.ts'
import type { Broadcast, EndReason } from '#sql/live/broadcasts.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import { emit } from '../../webhooks/rules/emit.ts'

/** Notes that a broadcast can be watched, and tells webhooks the first time. */
export async function broadcastIsLive(tx: Db, id: string): Promise<void> {
  const broadcast = await broadcasts.setLive(tx, id)
  if (broadcast) await emitLive(tx, broadcast, 'video.live.started')
}

/** Ends a broadcast once, whoever comes first; webhooks are told of one that could be watched. */
export async function endBroadcast(tx: Db, id: string, reason: EndReason): Promise<void> {
  const broadcast = await broadcasts.setEnded(tx, id, reason)
  if (broadcast?.live_at) await emitLive(tx, broadcast, 'video.live.ended')
}

/** Notes that the recording of a broadcast can be played, and tells webhooks the first time. */
export async function broadcastIsRecorded(tx: Db, id: string): Promise<void> {
  const broadcast = await broadcasts.setRecorded(tx, id)
  if (broadcast) await emitLive(tx, broadcast, 'video.live.recorded')
}

/** An asset can be played: if it is a recording, which has its broadcast's id, webhooks are told the first time. */
export const recordingIsPlayable = (tx: Db, assetId: string): Promise<void> => broadcastIsRecorded(tx, assetId)

async function emitLive(
  tx: Db,
  broadcast: Broadcast,
  type: 'video.live.started' | 'video.live.ended' | 'video.live.recorded',
): Promise<void> {
  const channel = await channels.findEver(tx, broadcast.channel_id)
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
