import { join } from 'node:path'
import type { Storage } from '#lib/storage/storage.ts'
import type { Db } from '#sql/db.ts'
import * as playlists from '#sql/video/playlists.ts'
import { fetchTrack } from '../hls/fetch-track.ts'
import { type PlaylistSegment, readMediaPlaylist } from '../hls/media-playlist.ts'

export interface PackageSound {
  prefix: string
  map: string
  segments: PlaylistSegment[]
  seconds: number
}

export async function findSound(db: Db, assetId: string, packageId: string): Promise<PackageSound | null> {
  const text = await playlists.find(db, assetId, packageId, 'audio.m3u8')
  if (text === null) return null
  const { map, segments } = readMediaPlaylist(text)
  const seconds = segments.reduce((sum, segment) => sum + segment.seconds, 0)
  return { prefix: playlists.packagePrefix(assetId, packageId), map, segments, seconds }
}

/** Length in seconds of audio loaded before the requested time, because a decoder’s first frames are not correct. */
const lead = 0.2

/** Downloads the segments of a time range into one file, which starts at `start` seconds of the asset. */
export async function fetchSound(
  sound: PackageSound,
  { from, to }: { from: number; to: number },
  folder: string,
  storage: Storage,
  signal: AbortSignal,
): Promise<{ path: string; start: number }> {
  const wanted: string[] = []
  let [at, start] = [0, 0]
  for (const { file, seconds } of sound.segments) {
    if (at < to && at + seconds > from - lead) {
      if (wanted.length === 0) start = at
      wanted.push(file)
    }
    at += seconds
  }
  const path = join(folder, 'sound.mp4')
  await fetchTrack([sound.map, ...wanted], { prefix: sound.prefix, folder, output: path }, storage, signal)
  return { path, start }
}
