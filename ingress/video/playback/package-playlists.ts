import { notFound } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import * as playlists from '#sql/video/playlists.ts'
import { playlistCache } from '../../playback/grants.ts'

/**
 * Returns a playlist of a package, or the track of its preview images. Throws 404 if the name is unknown or the package
 * belongs to another asset.
 */
export async function findPlaylist(
  db: DatabasePool,
  assetId: string,
  packageId: string,
  name: string,
): Promise<string> {
  const key = `${assetId}/${packageId}/${name}`
  const body = playlistCache.get(key) ?? (await playlists.find(db, assetId, packageId, name))
  if (body === null) throw notFound('playlist')
  playlistCache.set(key, body)
  return body
}
