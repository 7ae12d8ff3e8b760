import { join } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { discardFrames } from './discard-frames.ts'
import { takeServedFrame } from './rules/hls/served-frame.ts'
import { framesPrefix } from './rules/keys.ts'

const hourMs = 60 * 60_000

/** Extracts a frame from the served package. Returns its key, or `null` if no frame exists. */
export const frame = task({
  name: 'video/frame',
  pool: 'media-intake',
  payload: z.object({ assetId: Id, at: z.number().min(0), lines: z.int() }),
  tracked: true,
  attempts: 2,
  timeout: 60_000,
  async run({ assetId, at, lines }, { db, media, scratch, storage, signal }): Promise<{ key: string | null }> {
    const asset = await assets.findAny(db, assetId)
    const packageId = asset?.package_id
    if (!packageId) return { key: null }
    await using folder = await scratch.attempt()
    const output = join(folder.path, 'frame.jpg')
    const wanted = { assetId, packageId, at, lines, output }
    if (!(await takeServedFrame(wanted, { db, media, storage, signal, folder: folder.path }))) return { key: null }
    const hour = Math.floor(Date.now() / hourMs)
    const key = `${framesPrefix(assetId)}${hour}/${packageId}-${Math.round(at * 1000)}-${lines}.jpg`
    await storage.upload(output, key, { contentType: 'image/jpeg', cacheControl: 'private, max-age=300', signal })
    const waits = { orgId: asset.org_id, key: `frames:${assetId}:${hour}`, at: new Date((hour + 2) * hourMs) }
    await enqueue(db, discardFrames, { assetId, hour }, waits)
    return { key }
  },
})
