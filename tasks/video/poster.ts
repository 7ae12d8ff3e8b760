import { join } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as pipeline from '#sql/video/pipeline.ts'
import { task } from '../queue/task.ts'
import { enqueueDiscard } from './discard.ts'
import { updateOpenPoster } from './open-poster.ts'
import { posterKey } from './rules/keys.ts'
import { fetchMezzanine } from './rules/transcode/mezzanine.ts'

/** Only viewers with a token can load the poster, so only their own browser may store it. */
const cacheControl = 'private, max-age=300'

export const poster = task({
  name: 'video/poster',
  pool: 'media-intake',
  payload: z.object({ assetId: Id }),
  tracked: true,
  attempts: 3,
  timeout: 5 * 60_000,
  async run({ assetId }, { db, media, scratch, storage, signal }) {
    const asset = await pipeline.find(db, assetId)
    if (!asset?.mezzanine) return
    const mezzanine = await fetchMezzanine(asset, scratch, signal)
    await using folder = await scratch.attempt()
    const output = join(folder.path, 'poster.jpg')
    if (!(await media.poster({ source: mezzanine.path, probe: mezzanine.probe, output }, { signal }))) return
    await storage.upload(output, posterKey(assetId), { contentType: 'image/jpeg', cacheControl, signal })
    if (!(await pipeline.setPoster(db, assetId))) return await enqueueDiscard(db, asset)
    await updateOpenPoster(assetId, { db, storage, signal })
  },
})
