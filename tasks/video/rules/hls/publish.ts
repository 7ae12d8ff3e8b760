import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { forEachConcurrently } from '#lib/concurrency.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as playlists from '#sql/video/playlists.ts'
import * as renditions from '#sql/video/renditions.ts'
import type { Package } from '../../engine.ts'

/** Segments of a package never change, so every cache may keep them for a year. */
const cacheControl = 'public, max-age=31536000, immutable'

const filesAtOnce = 8

/**
 * Stores a package’s media files. Returns a function that records the playlists (and the track of preview images) and
 * renditions in the transaction that serves the package. The package ID belongs to the run, so that another attempt
 * overwrites the files of the first attempt.
 */
export async function publish(
  assetId: string,
  packageId: string,
  made: Package,
  storage: Storage,
  signal: AbortSignal,
): Promise<(tx: Db) => Promise<void>> {
  const isText = (file: string) => /\.(m3u8|vtt)$/.test(file)
  const media = made.files.filter((file) => !isText(file))
  const send = async (file: string, signal: AbortSignal) => {
    const key = `${playlists.packagePrefix(assetId, packageId)}${file}`
    const contentType = file.endsWith('.jpg') ? 'image/jpeg' : 'video/mp4'
    await storage.upload(join(made.folder, file), key, { contentType, cacheControl, signal })
  }
  await forEachConcurrently(media, filesAtOnce, send, signal)
  const texts = await Promise.all(
    made.files.filter(isText).map(async (name) => ({ name, body: await readFile(join(made.folder, name), 'utf8') })),
  )
  return async (tx) => {
    await playlists.insertMany(tx, assetId, packageId, texts)
    await renditions.insertMany(tx, assetId, packageId, made.renditions.map(toRow))
  }
}

const toRow = (made: Package['renditions'][number]) => ({
  name: made.name,
  width: made.width,
  height: made.height,
  frames: made.frames,
  segments: made.segments,
  bytes: made.bytes,
  peak_bit_rate: Math.round(made.peakBitRate),
  mean_bit_rate: Math.round(made.meanBitRate),
  codec: made.codec,
})
