import { notFound } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import { captionsKey } from '#sql/video/captions.ts'
import type { Grant } from '#sql/video/playback-sessions.ts'
import { captionsFile, captionsPlaylist } from '#tasks/video/captions-playlist.ts'

/** What a player is given: a playlist, or the key of an object in storage. */
type CaptionsFile = { kind: 'playlist'; body: string } | { kind: 'object'; key: string }

/**
 * The captions that a file name stands for; undefined for any other file. They belong to the asset: players find them beside
 * whichever package they play, so that what is playing never changes for them.
 */
export async function captionsNamed(db: DatabasePool, grant: Grant, file: string): Promise<CaptionsFile | undefined> {
  const named = captionsFile(file)
  if (!named) return undefined
  const { asset_id: assetId } = grant
  if (!grant.captions.includes(named.language)) throw notFound('captions')
  if (!named.playlist) return { kind: 'object', key: captionsKey(assetId, named.language) }
  const asset = await assets.findAny(db, assetId)
  if (!asset) throw notFound('captions')
  return { kind: 'playlist', body: captionsPlaylist(named.language, asset.duration_seconds ?? 0) }
}
