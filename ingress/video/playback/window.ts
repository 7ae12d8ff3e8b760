import { LRUCache } from 'lru-cache'
import { notFound } from '#lib/errors.ts'
import type { DatabasePool } from '#sql/db.ts'
import type { Grant } from '#sql/playback/sessions.ts'
import { firstVariant } from '#tasks/video/rules/captions/playlist.ts'
import { readMediaPlaylist } from '#tasks/video/rules/hls/media-playlist.ts'
import { spanOf } from '#tasks/video/rules/hls/span.ts'
import { isInWindow, type Window } from '#tasks/video/rules/hls/window.ts'
import { outsideWindow } from '../../playback/admission.ts'
import { findPlaylist } from './package-playlists.ts'

/** Windows by package and range. The playlists of a package never change. */
const windows = new LRUCache<string, Window>({ max: 10_000 })

/** Returns the part of a package that a session can play, or `null` if it can play the whole video. */
export async function findWindow(
  db: DatabasePool,
  { asset_id, window_start: start, window_end: end }: Grant,
  packageId: string,
): Promise<Window | null> {
  if (start === null || end === null) return null
  const name = `${packageId}/${start}/${end}`
  const window = windows.get(name) ?? windowOf(await readReference(db, asset_id, packageId), start, end)
  windows.set(name, window)
  return window
}

export function windowOf(playlist: string, start: number, end: number): Window {
  const { segments } = readMediaPlaylist(playlist)
  const span = spanOf(segments, start, end)
  return { ...span, isOpen: span.end === segments.length }
}

async function readReference(db: DatabasePool, assetId: string, packageId: string): Promise<string> {
  const variant = firstVariant(await findPlaylist(db, assetId, packageId, 'master.m3u8'))
  if (!variant) throw notFound('playlist')
  return await findPlaylist(db, assetId, packageId, variant)
}

/** Throws 403 if the session cannot load the file, because it shows other parts of the video. */
export function demandWithin(window: Window | null, file: string): void {
  if (window && !isInWindow(file, window))
    throw outsideWindow('The playback session can play only a part of the video. This file is outside it.')
}
