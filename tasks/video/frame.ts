import { join } from 'node:path'
import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import * as renditions from '#sql/video/renditions.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { discardFrames } from './discard-frames.ts'
import { fetchTrack } from './rules/hls/fetch-track.ts'
import { type MediaPlaylist, readMediaPlaylist } from './rules/hls/media-playlist.ts'
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
    const pictures = (await renditions.listServed(db, assetId)).filter(({ height }) => height > 0)
    const chosen = pictures.findLast(({ width, height }) => Math.min(width, height) >= lines) ?? pictures[0]
    const text = chosen && (await playlists.find(db, assetId, packageId, `${chosen.name}.m3u8`))
    const segment = text && segmentAt(readMediaPlaylist(text), at)
    if (!segment) return { key: null }
    await using folder = await scratch.attempt()
    const source = join(folder.path, 'segment.mp4')
    const place = { prefix: playlists.packagePrefix(assetId, packageId), folder: folder.path, output: source }
    await fetchTrack(segment.files, place, storage, signal)
    const output = join(folder.path, 'frame.jpg')
    if (!(await media.frame({ source, at: segment.within, lines, output }, { signal }))) return { key: null }
    const hour = Math.floor(Date.now() / hourMs)
    const key = `${framesPrefix(assetId)}${hour}/${packageId}-${Math.round(at * 1000)}-${lines}.jpg`
    await storage.upload(output, key, { contentType: 'image/jpeg', cacheControl: 'private, max-age=300', signal })
    const waits = { orgId: asset.org_id, key: `frames:${assetId}:${hour}`, at: new Date((hour + 2) * hourMs) }
    await enqueue(db, discardFrames, { assetId, hour }, waits)
    return { key }
  },
})

/**
 * Returns the files that contain a time, and the position within them. A time slightly after the end gives the last
 * frame.
 */
function segmentAt({ map, segments }: MediaPlaylist, at: number): { files: string[]; within: number } | undefined {
  let from = 0
  for (const [i, { file, seconds }] of segments.entries()) {
    const isLast = i === segments.length - 1
    if (at < from + seconds || (isLast && at < from + seconds + 1))
      return { files: [map, file], within: Math.max(0, Math.min(at - from, seconds - 0.1)) }
    from += seconds
  }
  return undefined
}
