import { join } from 'node:path'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as assets from '#sql/video/assets.ts'
import * as playlists from '#sql/video/playlists.ts'
import * as renditions from '#sql/video/renditions.ts'
import { findSoundTracks } from '#sql/video/sounds.ts'
import type { ClipInput } from '../../engine.ts'
import { listSounds } from '../hls/audio-tracks.ts'
import { fetchTrack } from '../hls/fetch-track.ts'
import { type MediaPlaylist, readMediaPlaylist } from '../hls/media-playlist.ts'
import { type Span, spanOf } from '../hls/span.ts'
import { soundPlaylist } from '../sounds/sound-names.ts'
import { MediaFault } from '../transcode/media-fault.ts'

export interface ClipMeans {
  db: Db
  storage: Storage
  folder: string
  signal: AbortSignal
}

export type ClipParts = Omit<ClipInput, 'output'>

interface ServedPackage {
  assetId: string
  packageId: string
}

/** Seconds of audio that are loaded before and after the range, because audio segments can start elsewhere. */
const around = 1

/**
 * Downloads the segments that contain a time range: of the largest rendition, and of all audio tracks. Throws a
 * `MediaFault` if the asset was deleted.
 */
export async function fetchFromAsset(
  assetId: string,
  { start, end }: { start: number; end: number },
  means: ClipMeans,
): Promise<ClipParts> {
  const asset = await assets.findAny(means.db, assetId)
  if (!asset?.package_id || asset.status === 'failed') throw new MediaFault('source_deleted', assetId)
  const served = { assetId, packageId: asset.package_id }
  const [top] = (await renditions.listServed(means.db, assetId)).filter(({ width }) => width > 0)
  const picture = top ? await fetchPicture(served, `${top.name}.m3u8`, { start, end }, means) : null
  const sounds = await fetchSounds(served, { start, end }, means)
  const from = picture?.from ?? sounds[0]?.from ?? 0
  // The first package can contain its audio in the file of its video.
  const heard = sounds.length > 0 || !picture ? sounds : [{ path: picture.path }]
  return { picture: picture?.path ?? null, sounds: heard, start: start - from, end: end - from }
}

async function mustRead({ assetId, packageId }: ServedPackage, name: string, db: Db): Promise<string> {
  const text = await playlists.find(db, assetId, packageId, name)
  if (text === null) throw new MediaFault('source_deleted', `${assetId} ${packageId} ${name}`)
  return text
}

async function fetchPicture(
  served: ServedPackage,
  name: string,
  { start, end }: { start: number; end: number },
  means: ClipMeans,
): Promise<{ path: string; from: number }> {
  const playlist = readMediaPlaylist(await mustRead(served, name, means.db))
  const span = spanOf(playlist.segments, start, end)
  return { path: await fetchSpan(served, playlist, { span, file: 'picture.mp4' }, means), from: span.from }
}

async function fetchSounds(
  served: ServedPackage,
  { start, end }: { start: number; end: number },
  means: ClipMeans,
): Promise<{ path: string; from: number; language: string | null; title: string | null }[]> {
  const listed = listSounds(await mustRead(served, 'master.m3u8', means.db))
  const alone = listed.length === 0 && (await playlists.find(means.db, served.assetId, served.packageId, 'audio.m3u8'))
  const added = await findSoundTracks(means.db, served.assetId)
  const all = [
    ...(alone ? [{ playlist: 'audio.m3u8', name: null, language: null }] : listed),
    ...added.map(({ id, name, language }) => ({ playlist: soundPlaylist(id), name, language })),
  ]
  const found = []
  for (const [i, { playlist: name, ...sound }] of all.entries()) {
    const playlist = readMediaPlaylist(await mustRead(served, name, means.db))
    const span = spanOf(playlist.segments, start - around, end + around)
    const path = await fetchSpan(served, playlist, { span, file: `sound-${i}.mp4` }, means)
    found.push({ path, from: span.from, language: sound.language, title: sound.name })
  }
  return found
}

async function fetchSpan(
  { assetId, packageId }: ServedPackage,
  { map, segments }: MediaPlaylist,
  { span, file }: { span: Span; file: string },
  { folder, storage, signal }: ClipMeans,
): Promise<string> {
  const files = [map, ...segments.slice(span.first, span.end).map((segment) => segment.file)]
  const output = join(folder, file)
  await fetchTrack(files, { prefix: playlists.packagePrefix(assetId, packageId), folder, output }, storage, signal)
  return output
}
