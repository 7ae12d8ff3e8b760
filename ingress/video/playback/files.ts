import type { Context } from 'koa'
import { notFound } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Grant } from '#sql/playback/sessions.ts'
import { getTracks } from '#sql/video/captions.ts'
import * as playlists from '#sql/video/playlists.ts'
import { addCaptions } from '#tasks/video/rules/captions/playlist.ts'
import { addChapters } from '#tasks/video/rules/chapters/chapters.ts'
import { addSounds } from '#tasks/video/rules/hls/added-sounds.ts'
import { thumbnailsId } from '#tasks/video/rules/hls/master-playlist.ts'
import { thumbnailsFile } from '#tasks/video/rules/hls/thumbnails.ts'
import { cutPlaylist } from '#tasks/video/rules/hls/window.ts'
import { previewKey } from '#tasks/video/rules/keys.ts'
import type { Services } from '../../http/container.ts'
import { storage } from '../../http/services.ts'
import { packageCache } from '../../playback/grants.ts'
import { findCaptionsFile, findWindowCaptions } from '../captions/files.ts'
import { findChaptersFile } from './chapters-file.ts'
import { findPlaylist } from './package-playlists.ts'
import { redirect } from './storage-links.ts'
import { demandWithin, findWindow } from './window.ts'

export async function sendPoster(
  ctx: Context,
  services: Services,
  grant: Grant,
  keyOf: (of: { id: string; own_poster: string | null }) => string,
): Promise<void> {
  if (!grant.poster) throw notFound('file')
  await redirect(ctx, services(storage), keyOf({ id: grant.asset_id, own_poster: grant.own_poster }))
}

/** Redirects to the animated preview. Each preview has its own key. */
export async function sendPreview(ctx: Context, services: Services, { asset_id, preview }: Grant): Promise<void> {
  if (preview?.state !== 'ready') throw notFound('file')
  await redirect(ctx, services(storage), previewKey(asset_id, preview.id))
}

const storyboardFile = 'storyboard.vtt'

/** Removes the line of a master playlist that names the images of the seek bar. */
const withoutThumbnails = (master: string): string =>
  master
    .split('\n')
    .filter((line) => !line.includes(`DATA-ID="${thumbnailsId}"`))
    .join('\n')

export async function sendMasterFile(ctx: Context, db: DatabasePool, grant: Grant, file: string): Promise<void> {
  const name = file === storyboardFile ? thumbnailsFile : file
  const { package_id: packageId } = grant
  if (!packageId) throw notFound('file')
  const window = await findWindow(db, grant, packageId)
  const chapters = await findChaptersFile(db, grant, file, window)
  if (chapters !== undefined) return sendText(ctx, file, chapters)
  if (name !== 'master.m3u8' && name !== thumbnailsFile) throw notFound('file')
  demandWithin(window, name)
  const made = await findPlaylist(db, grant.asset_id, packageId, name)
  // From now on, the player uses this package, even if a better one becomes available.
  if (name === thumbnailsFile) return sendText(ctx, file, intoFolder(made, packageId))
  const tracks = grant.sound_tracks.filter((track) => track.packageId === packageId)
  const whole = addCaptions(addSounds(made, tracks), getTracks(grant))
  const shown = intoFolder(window ? withoutThumbnails(whole) : whole, packageId)
  sendText(ctx, file, grant.has_chapters ? addChapters(shown) : shown)
}

export async function sendFromPackage(
  ctx: Context,
  db: DatabasePool,
  services: Services,
  grant: Grant,
  packageId: string,
  file: string,
): Promise<void> {
  const window = await findWindow(db, grant, packageId)
  const within = window && (await findWindowCaptions(db, services(storage), grant, { file, window }))
  if (typeof within === 'string') return sendText(ctx, file, within)
  demandWithin(window, file)
  const cut = (text: string) => (window && file.endsWith('.m3u8') ? cutPlaylist(text, window) : text)
  const captions = await findCaptionsFile(db, services(storage), grant, packageId, file)
  if (captions?.kind === 'text') return sendText(ctx, file, cut(captions.body))
  if (captions) return await redirect(ctx, services(storage), captions.key)
  if (file.endsWith('.m3u8') || file === thumbnailsFile)
    return sendText(ctx, file, cut(await findPlaylist(db, grant.asset_id, packageId, file)))
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
  if (file.endsWith('.json')) ctx.type = 'application/json; charset=utf-8'
  else ctx.type = file.endsWith('.vtt') ? 'text/vtt; charset=utf-8' : 'application/vnd.apple.mpegurl'
  ctx.body = body
}
