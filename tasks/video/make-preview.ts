import { join } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import * as previews from '#sql/video/previews.ts'
import * as renditions from '#sql/video/renditions.ts'
import { task } from '../queue/task.ts'
import { enqueueDiscardExtras } from './discard-extras.ts'
import { emitAsset } from './rules/emit-asset.ts'
import { fetchTrack } from './rules/hls/fetch-track.ts'
import { readMediaPlaylist } from './rules/hls/media-playlist.ts'
import { spanOf } from './rules/hls/span.ts'
import { previewKey } from './rules/keys.ts'
import { runMediaStep } from './rules/transcode/failure.ts'
import { MediaFault } from './rules/transcode/media-fault.ts'

/** Each preview has its own key and never changes. */
const headers = { contentType: 'image/webp', cacheControl: 'private, max-age=86400' }

/** Creates the animated preview of an asset from its served package. */
export const makePreview = task({
  name: 'video/make-preview',
  pool: 'media-intake',
  payload: z.object({ assetId: Id, previewId: Id }),
  tracked: true,
  attempts: 4,
  timeout: 5 * 60_000,
  async run({ assetId, previewId }, { db, media, scratch, storage, signal, own }) {
    const work = await previews.findWork(db, assetId, previewId)
    if (!work?.package_id) return
    const { preview, package_id: packageId } = work
    const pictures = (await renditions.listServed(db, assetId)).filter(({ width }) => width > 0)
    const chosen = pictures.findLast(({ width }) => width >= preview.width) ?? pictures[0]
    const text = chosen && (await playlists.find(db, assetId, packageId, `${chosen.name}.m3u8`))
    if (!text) return await runMediaStep(() => Promise.reject(new MediaFault('source_deleted', assetId)))
    const { map, segments } = readMediaPlaylist(text)
    const span = spanOf(segments, preview.start, preview.start + preview.duration)
    await using folder = await scratch.attempt()
    const [source, output] = [join(folder.path, 'part.mp4'), join(folder.path, 'preview.webp')]
    const files = [map, ...segments.slice(span.first, span.end).map(({ file }) => file)]
    const place = { prefix: playlists.packagePrefix(assetId, packageId), folder: folder.path, output: source }
    await fetchTrack(files, place, storage, signal)
    const { width, fps, duration: seconds } = preview
    const input = { source, at: Math.max(0, preview.start - span.from), seconds, width, fps, output }
    const bytes = await runMediaStep(() => media.motion(input, { signal }))
    await storage.upload(output, previewKey(assetId, previewId), { ...headers, signal })
    await own(async (tx) => {
      await previews.end(tx, assetId, previewId, { state: 'ready', bytes })
      const asset = await assets.findAny(tx, assetId)
      if (asset) await enqueueDiscardExtras(tx, asset)
      await emitAsset(tx, assetId, 'video.asset.updated')
    })
  },
  async giveUp({ assetId, previewId }, _, { db }) {
    await previews.end(db, assetId, previewId, { state: 'failed' })
  },
})
