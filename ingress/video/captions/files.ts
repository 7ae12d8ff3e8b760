import { LRUCache } from 'lru-cache'
import { notFound } from '#lib/errors.ts'
import type { Storage } from '#lib/storage/storage.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Grant } from '#sql/playback/sessions.ts'
import type { CaptionTrack } from '#sql/video/caption-track.ts'
import { captionsKey, findBody, getTracks } from '#sql/video/captions.ts'
import { captionsPlaylist, firstVariant, parseCaptionsFileName } from '#tasks/video/rules/captions/playlist.ts'
import { cutWebvtt } from '#tasks/video/rules/captions/webvtt.ts'
import { cutCaptions } from '#tasks/video/rules/clips/copy-captions.ts'
import { type MediaPlaylist, readMediaPlaylist } from '#tasks/video/rules/hls/media-playlist.ts'
import type { Window } from '#tasks/video/rules/hls/window.ts'
import { findPlaylist } from '../playback/package-playlists.ts'

type CaptionsFile = { kind: 'text'; body: string } | { kind: 'object'; key: string }

/**
 * Captions in segments, by asset, package, language and revision. The text and the package of a revision never change.
 */
const cut = new LRUCache<string, Promise<string[]>>({ max: 200, maxSize: 128 * 1024 ** 2, sizeCalculation: () => 1 })

/**
 * Returns the captions for a file name, or `undefined` for any other file. Captions belong to the asset, so they are
 * available for each of its packages, with segments that match the video. The file without segments stays available for
 * players with an older playlist.
 */
export async function findCaptionsFile(
  db: DatabasePool,
  storage: Storage,
  grant: Grant,
  packageId: string,
  file: string,
): Promise<CaptionsFile | undefined> {
  const named = parseCaptionsFileName(file)
  if (!named) return undefined
  const { language, part } = named
  const { asset_id: assetId } = grant
  const track = getTracks(grant).find((one) => one.language === language)
  if (!track) throw notFound('captions')
  const key = captionsKey(assetId, language)
  if (part === 'whole') return await wholeOf(db, assetId, track)
  const film = await filmOf(db, assetId, packageId)
  if (part === 'playlist') return { kind: 'text', body: captionsPlaylist(language, film) }
  const name = `${packageId}/${key}/${track.revision}`
  const cutting =
    cut.get(name) ??
    begin(
      name,
      cutLike(film, () => textOf(db, storage, assetId, language)),
    )
  const body = (await cutting)[part]
  if (body === undefined) throw notFound('captions')
  return { kind: 'text', body }
}

/** Caches captions from the time when cutting starts. The size of the cache in bytes is limited. */
function begin(name: string, cutting: Promise<string[]>): Promise<string[]> {
  cut.set(name, cutting)
  const sized = (segments: string[]) => {
    const size = segments.reduce((sum, { length }) => sum + 2 * length, 1)
    cut.set(name, cutting, { size })
  }
  void cutting.then(sized, () => cut.delete(name))
  return cutting
}

async function filmOf(db: DatabasePool, assetId: string, packageId: string): Promise<MediaPlaylist> {
  const variant = firstVariant(await findPlaylist(db, assetId, packageId, 'master.m3u8'))
  if (!variant) throw notFound('captions')
  return readMediaPlaylist(await findPlaylist(db, assetId, packageId, variant))
}

/** Returns the complete text. Transcribed text is in storage, other text is in its row. */
async function wholeOf(db: DatabasePool, assetId: string, { language, source }: CaptionTrack): Promise<CaptionsFile> {
  const body = source === 'automatic' ? null : await findBody(db, assetId, language)
  return body === null ? { kind: 'object', key: captionsKey(assetId, language) } : { kind: 'text', body }
}

export async function textOf(db: DatabasePool, storage: Storage, assetId: string, language: string): Promise<string> {
  const own = await findBody(db, assetId, language)
  return own ?? Buffer.from(await storage.readWhole(captionsKey(assetId, language))).toString()
}

async function cutLike({ segments }: MediaPlaylist, read: () => Promise<string>): Promise<string[]> {
  return cutWebvtt(
    await read(),
    segments.map(({ seconds }) => seconds),
  )
}

/** Returns the complete captions of a window, with times from its start, or `undefined` for any other file. */
export async function findWindowCaptions(
  db: DatabasePool,
  storage: Storage,
  grant: Grant,
  { file, window }: { file: string; window: Window },
): Promise<string | undefined> {
  const named = parseCaptionsFileName(file)
  if (named?.part !== 'whole') return undefined
  if (!getTracks(grant).some(({ language }) => language === named.language)) throw notFound('captions')
  const text = await textOf(db, storage, grant.asset_id, named.language)
  return cutCaptions(text, window.from, window.to)?.body ?? 'WEBVTT\n'
}
