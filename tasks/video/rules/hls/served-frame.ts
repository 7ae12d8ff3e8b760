import { join } from 'node:path'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as playlists from '#sql/video/playlists.ts'
import * as renditions from '#sql/video/renditions.ts'
import type { MediaEngine } from '../../engine.ts'
import { fetchTrack } from './fetch-track.ts'
import { type MediaPlaylist, readMediaPlaylist } from './media-playlist.ts'

interface WantedFrame {
  assetId: string
  packageId: string
  at: number
  lines: number
  output: string
}

/** Writes a JPEG of a frame of the served package. Returns false if no frame exists at this time. */
export async function takeServedFrame(
  { assetId, packageId, at, lines, output }: WantedFrame,
  means: { db: Db; media: MediaEngine; storage: Storage; folder: string; signal: AbortSignal },
): Promise<boolean> {
  const { db, media, storage, folder, signal } = means
  const pictures = (await renditions.listServed(db, assetId)).filter(({ height }) => height > 0)
  const chosen = pictures.findLast(({ width, height }) => Math.min(width, height) >= lines) ?? pictures[0]
  const text = chosen && (await playlists.find(db, assetId, packageId, `${chosen.name}.m3u8`))
  const segment = text && segmentAt(readMediaPlaylist(text), at)
  if (!segment) return false
  const source = join(folder, 'segment.mp4')
  const place = { prefix: playlists.packagePrefix(assetId, packageId), folder, output: source }
  await fetchTrack(segment.files, place, storage, signal)
  return await media.frame({ source, at: segment.within, lines, output }, { signal })
}

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
