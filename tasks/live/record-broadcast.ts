import { z } from 'zod'
import { Later } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as broadcasts from '#sql/live/broadcasts.ts'
import * as channels from '#sql/live/channels.ts'
import * as chunks from '#sql/live/chunks.ts'
import * as clips from '#sql/video/clips.ts'
import { task } from '../queue/task.ts'
import { livePrefix } from '../video/rules/keys.ts'
import { createRecordingAsset, formatMinute, storeAsSource } from '../video/rules/recorded.ts'

/** Interval in milliseconds in which it is checked whether clips still need the chunks. */
const clipsMs = 2_000

/**
 * Creates an asset from the recording of a broadcast, by copying like an upload. The asset has the ID of the broadcast.
 */
export const recordBroadcast = task({
  name: 'live/record-broadcast',
  pool: 'live',
  payload: z.object({ broadcastId: Id }),
  tracked: true,
  attempts: 8,
  timeout: 60 * 60_000,
  async run({ broadcastId }, { db, media, scratch, storage, signal, own }) {
    const broadcast = await broadcasts.findAny(db, broadcastId)
    if (!broadcast?.ended_at || !broadcast.record) return
    const found = await chunks.list(db, broadcastId)
    if (!broadcast.asset_id && found.length > 0) {
      const size = await storeAsSource(found, broadcastId, { media, scratch, storage }, signal)
      await own((tx) => keep(tx, broadcast, size))
    }
    if (await clips.isAwaited(db, broadcastId)) throw new Later(clipsMs, 'clips of the broadcast are being cut')
    await storage.deleteAll(livePrefix(broadcastId), signal)
    await chunks.remove(db, broadcastId)
  },
})

/** Once. */
async function keep(tx: Db, broadcast: broadcasts.Broadcast, bytes: number): Promise<void> {
  const { id, org_id: orgId, channel_id, started_at } = broadcast
  if ((await broadcasts.findAny(tx, id))?.asset_id) return
  const channel = await channels.findIncludingDeleted(tx, channel_id)
  const title = `${channel.name}, ${formatMinute(started_at)}`
  await createRecordingAsset(tx, { id, orgId, title, filename: `${channel.slug}.mp4`, bytes })
  await broadcasts.setAsset(tx, id, id)
}
