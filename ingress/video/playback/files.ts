import type { Context } from 'koa'
import { notFound } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Grant } from '#sql/playback/sessions.ts'
import { getTracks } from '#sql/video/captions.ts'
import * as playlists from '#sql/video/playlists.ts'
import { addCaptions } from '#tasks/video/rules/captions/playlist.ts'
import { thumbnailsFile } from '#tasks/video/rules/hls/thumbnails.ts'
import type { Services } from '../../http/container.ts'
import { storage } from '../../http/services.ts'
import { packageCache } from '../../playback/grants.ts'
import { findCaptionsFile } from '../captions/files.ts'
import { findPlaylist } from './package-playlists.ts'
import { redirect } from './storage-links.ts'

export async function sendPoster(
  ctx: Context,
  services: Services,
  { asset_id, poster }: Grant,
  keyOf: (assetId: string) => string,
): Promise<void> {
  if (!poster) throw notFound('file')
  await redirect(ctx, services(storage), keyOf(asset_id))
}

const storyboardFile = 'storyboard.vtt'

export async function sendMasterFile(ctx: Context, db: DatabasePool, grant: Grant, file: string): Promise<void> {
  const name = file === storyboardFile ? thumbnailsFile : file
  if (!grant.package_id || (name !== 'master.m3u8' && name !== thumbnailsFile)) throw notFound('file')
  const made = await findPlaylist(db, grant.asset_id, grant.package_id, name)
  const body = name === thumbnailsFile ? made : addCaptions(made, getTracks(grant))
  // From now on, the player uses this package, even if a better one becomes available.
  sendText(ctx, file, intoFolder(body, grant.package_id))
}

export async function sendFromPackage(
  ctx: Context,
  db: DatabasePool,
  services: Services,
  grant: Grant,
  packageId: string,
  file: string,
): Promise<void> {
  const captions = await findCaptionsFile(db, services(storage), grant, packageId, file)
  if (captions?.kind === 'text') return sendText(ctx, file, captions.body)
  if (captions) return await redirect(ctx, services(storage), captions.key)
  if (file.endsWith('.m3u8') || file === thumbnailsFile)
    return sendText(ctx, file, await findPlaylist(db, grant.asset_id, packageId, file))
  await mustHavePackage(db, grant.asset_id, packageId)
  await redirect(ctx, services(storage), `${playlists.packagePrefix(grant.asset_id, packageId)}${file}`)
}

/** Throws 404 if the package does not exist or belongs to another asset. */
async function mustHavePackage(db: DatabasePool, assetId: string, packageId: string): Promise<void> {
  const key = `${assetId}/${packageId}`
  if (packageCache.has(key)) return
  if (!(await playlists.hasPackage(db, assetId, packageId))) throw notFound('package')
  packageCache.set(key, true)
}

/**
 * Adds a folder to the URIs in a playlist (RFC 8216 §4.1: lines, and URI attributes) or in a track of preview images.
 */
function intoFolder(text: string, folder: string): string {
  if (text.startsWith('WEBVTT')) return text.replace(/^(?=[^\s#]+#xywh=)/gm, `${folder}/`)
  return text.replace(/^(?!#)(?=\S)/gm, `${folder}/`).replace(/URI="/g, `URI="${folder}/`)
}

function sendText(ctx: Context, file: string, body: string): void {
  ctx.type = file.endsWith('.vtt') ? 'text/vtt; charset=utf-8' : 'application/vnd.apple.mpegurl'
  ctx.body = body
}
