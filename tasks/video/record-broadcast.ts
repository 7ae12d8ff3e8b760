import { open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as broadcasts from '#sql/video/live-broadcasts.ts'
import * as channels from '#sql/video/live-channels.ts'
import * as chunks from '#sql/video/live-chunks.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { sourceKey } from '#sql/video/uploads.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { livePrefix } from './keys.ts'
import { probe } from './probe.ts'
import { mediaStep } from './transcode/failure.ts'

/** Chunks that are fetched at once. */
const ahead = 8

/** Makes an asset of what was recorded of a broadcast, by copy: it goes the way of an upload. Its id is the broadcast's. */
export const recordBroadcast = task({
  name: 'video/record-broadcast',
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
      const bytes = found.reduce((sum, chunk) => sum + chunk.bytes, 0)
      await using folder = await scratch.attempt(2 * bytes)
      const files = await fetchEpochs(found, folder.path, storage, signal)
      const [only = '', ...others] = files
      const joined = () => media.join({ files, folder: folder.path }, { signal })
      const source = others.length === 0 ? only : await mediaStep(joined)
      await storage.upload(source, sourceKey(broadcastId), { contentType: 'video/mp4', signal })
      const { size } = await stat(source)
      await own((tx) => becomeAsset(tx, broadcast, size))
    }
    await storage.deleteAll(livePrefix(broadcastId), signal)
    await chunks.remove(db, broadcastId)
  },
})

/** Fetches a broadcast's chunks into a file for each epoch, which is a fragmented MP4 as it is. */
async function fetchEpochs(
  found: readonly chunks.Chunk[],
  folder: string,
  storage: Storage,
  signal: AbortSignal,
): Promise<string[]> {
  const files = new Map<number, string>()
  for (let from = 0; from < found.length; from += ahead) {
    const some = found.slice(from, from + ahead)
    const bodies = await Promise.all(some.map(({ key }) => storage.readWhole(key, signal)))
    for (const [i, { epoch }] of some.entries()) {
      const path = files.get(epoch) ?? join(folder, `epoch-${epoch}.mp4`)
      files.set(epoch, path)
      await using file = await open(path, 'a')
      await file.writeFile(bodies[i] as Uint8Array)
    }
  }
  return [...files.values()]
}

/** Hands the recording to the media workers as if it had been uploaded; once. */
async function becomeAsset(tx: Db, broadcast: broadcasts.Broadcast, bytes: number): Promise<void> {
  const { id, org_id, channel_id, started_at } = broadcast
  if ((await broadcasts.findAny(tx, id))?.asset_id) return
  const channel = await channels.findEver(tx, channel_id)
  const day = started_at.toISOString().slice(0, 16).replace('T', ' ')
  const of = { external_ref: null, mime_type: 'video/mp4', profile: 'standard_vod' as const, watermark: null }
  await assets.insert(tx, {
    ...of,
    id,
    org_id,
    title: `${channel.name}, ${day}`,
    filename: `${channel.slug}.mp4`,
    bytes,
  })
  await pipeline.begin(tx, id)
  await broadcasts.setAsset(tx, id, id)
  await enqueue(tx, probe, { assetId: id }, { subject: id, orgId: org_id })
}
