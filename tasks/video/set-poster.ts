import { join } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import * as posters from '#sql/video/posters.ts'
import type { Tools } from '../pools.ts'
import { type Attempt, task } from '../queue/task.ts'
import { enqueueDiscardExtras } from './discard-extras.ts'
import { enqueueOpenPoster, updateOpenPoster } from './open-poster.ts'
import { takeServedFrame } from './rules/hls/served-frame.ts'
import { ownPosterKey, rawPosterKey } from './rules/keys.ts'
import { MediaFault } from './rules/transcode/media-fault.ts'

/** Maximum length of the longer side of a poster in pixels, and maximum height of a frame. */
const [longSide, mostLines] = [1920, 1080]

const Payload = z.object({
  assetId: Id,
  posterId: Id,
  /** Position of the frame in seconds. Without it, the uploaded image is used. */
  at: z.number().optional(),
  type: z.enum(['image/png', 'image/jpeg', 'image/webp']).optional(),
})

type Result = 'done' | 'unreadable' | 'gone'

/** Each poster has its own key, so browsers may keep it. */
const headers = { contentType: 'image/jpeg', cacheControl: 'private, max-age=300' }

/** Makes a poster of an uploaded image or of a frame, and shows it instead of the automatic poster. */
export const setPoster = task({
  name: 'video/set-poster',
  pool: 'media-intake',
  payload: Payload,
  tracked: true,
  attempts: 3,
  timeout: 60_000,
  async run(payload, tools): Promise<{ result: Result }> {
    const { assetId, posterId } = payload
    const { db, scratch, storage, signal, own } = tools
    const asset = await assets.findAny(db, assetId)
    if (!asset) return { result: 'gone' }
    await using folder = await scratch.attempt()
    const output = join(folder.path, 'poster.jpg')
    if (!(await draw(payload, asset, { folder: folder.path, output }, tools))) return { result: 'unreadable' }
    await storage.upload(output, ownPosterKey(assetId, posterId), { ...headers, signal })
    const isSet = await own(async (tx) => {
      await enqueueDiscardExtras(tx, asset)
      if (!(await posters.set(tx, assetId, posterId))) return false
      await enqueueOpenPoster(tx, asset)
      return true
    })
    await updateOpenPoster(assetId, { db, storage, signal })
    return { result: isSet ? 'done' : 'gone' }
  },
})

async function draw(
  { assetId, posterId, at, type }: z.output<typeof Payload>,
  { package_id: packageId }: assets.Asset,
  { folder, output }: { folder: string; output: string },
  { db, media, storage, signal }: Attempt & Tools['media-intake'],
): Promise<boolean> {
  if (at !== undefined) {
    if (packageId === null) return false
    const wanted = { assetId, packageId, at, lines: mostLines, output }
    return await takeServedFrame(wanted, { db, media, storage, folder, signal })
  }
  const source = join(folder, 'image')
  const key = rawPosterKey(assetId, posterId)
  await storage.download(key, source, signal)
  try {
    await media.preview({ source, type: type ?? 'image/jpeg', page: 1, size: longSide, output }, { signal })
  } catch (error) {
    if (!(error instanceof MediaFault)) throw error
    return false
  } finally {
    await storage.remove(key, signal)
  }
  return true
}
