import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMediaPlaylist } from '#tasks/video/rules/hls/media-playlist.ts'
import { readFragments, readHeader, shiftSegment } from './cmaf.ts'

/** Returns the time in seconds at which a track of fragments starts to be shown. */
export async function readStart(path: string): Promise<number> {
  const { timescale } = await readHeader(path)
  const [first] = await readFragments(path)
  return first ? (first.time + first.firstOffset) / timescale : 0
}

/** Moves all segments of a packaged track, which starts at 0, by a time in seconds. */
export async function moveTrack(folder: string, name: string, seconds: number): Promise<void> {
  const { map, segments } = readMediaPlaylist(await readFile(join(folder, `${name}.m3u8`), 'utf8'))
  const { timescale } = await readHeader(join(folder, map))
  const ticks = Math.round(seconds * timescale)
  if (ticks === 0) return
  for (const { file } of segments) await shiftSegment(join(folder, file), ticks)
}
