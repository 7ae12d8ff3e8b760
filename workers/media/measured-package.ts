import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackagedRendition } from '#tasks/video/engine.ts'
import { masterPlaylist } from '#tasks/video/master-playlist.ts'
import { readMediaPlaylist } from '#tasks/video/media-playlist.ts'
import type { Rational } from '#tasks/video/rational.ts'
import { avcCodec, readFragments, readHeader, shiftSegment } from './cmaf.ts'

/** A media playlist on disk that is to be measured. */
export interface TrackOnDisk {
  name: string
  width: number
  height: number
  /** RFC 6381 name of a sound track; a picture track tells its own. */
  codec?: string
}

interface Measured {
  rendition: PackagedRendition
  files: string[]
  seconds: number
  timescale: number
  /** First presentation and first decode time, in seconds. */
  shown: number
  decoded: number
  segmentFiles: string[]
}

async function measure(folder: string, { name, width, height, codec }: TrackOnDisk): Promise<Measured> {
  const playlist = `${name}.m3u8`
  const { map, segments } = readMediaPlaylist(await readFile(join(folder, playlist), 'utf8'))
  const header = await readHeader(join(folder, map))
  let [samples, bytes, peak, seconds] = [0, 0, 0, 0]
  let first: { time: number; firstOffset: number } | undefined
  for (const segment of segments) {
    const { size } = await stat(join(folder, segment.file))
    const fragments = await readFragments(join(folder, segment.file))
    first ??= fragments[0]
    for (const fragment of fragments) samples += fragment.samples
    bytes += size
    seconds += segment.seconds
    // A last segment of one frame has a rate of its own that says nothing (RFC 8216 4.1 leaves out those under half the target).
    if (segment.seconds >= 1 || segments.length === 1) peak = Math.max(peak, (size * 8) / segment.seconds)
  }
  if (!first || seconds === 0) throw new Error(`The playlist ${playlist} came out empty.`)
  const mean = (bytes * 8) / seconds
  const rendition = {
    name,
    playlist,
    width,
    height,
    frames: width > 0 ? samples : 0,
    segments: segments.length,
    bytes,
    peakBitRate: Math.ceil(Math.max(peak, mean)),
    meanBitRate: Math.ceil(mean),
    codec: header.avcConfig ? avcCodec(header.avcConfig) : (codec ?? 'mp4a.40.2'),
  }
  const { timescale } = header
  const times = { shown: (first.time + first.firstOffset) / timescale, decoded: first.time / timescale }
  const segmentFiles = segments.map(({ file }) => file)
  return { rendition, files: [map, ...segmentFiles, playlist], seconds, timescale, ...times, segmentFiles }
}

/**
 * Sets the sound's first packet `lead` seconds after the first picture, in the fragments' own times. ffmpeg starts each playlist's decode
 * times at 0, so the first picture is late by its reordering (67 ms at 30 fps): the sound is moved by as much. Where it should come first,
 * the picture moves instead, as times below 0 cannot be written.
 */
async function align(folder: string, tracks: Measured[], lead: number): Promise<void> {
  const moves = tracks.map(({ rendition, shown }) => (rendition.frames > 0 ? 0 : lead) - shown)
  const lift = Math.max(0, ...tracks.map(({ decoded }, i) => -(decoded + (moves[i] ?? 0))))
  for (const [i, { timescale, segmentFiles }] of tracks.entries()) {
    const ticks = Math.round(((moves[i] ?? 0) + lift) * timescale)
    if (ticks === 0) continue
    for (const file of segmentFiles) await shiftSegment(join(folder, file), ticks)
  }
}

/** Measures the playlists of a folder, aligns sound with picture and writes the master playlist. */
export async function finishPackage(
  folder: string,
  tracks: TrackOnDisk[],
  { rate, audioLead }: { rate: Rational | null; audioLead: number },
): Promise<{ renditions: PackagedRendition[]; files: string[]; bytes: number; seconds: number }> {
  const measured = await Promise.all(tracks.map((track) => measure(folder, track)))
  if (rate && measured.length > 1) await align(folder, measured, audioLead)
  const renditions = measured.map(({ rendition }) => rendition)
  const master = masterPlaylist({ renditions, rate })
  await writeFile(join(folder, 'master.m3u8'), master)
  const files = [...measured.flatMap((track) => track.files), 'master.m3u8']
  const sizes = await Promise.all(files.map((file) => stat(join(folder, file))))
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
  return { renditions, files, bytes, seconds: Math.max(...measured.map((track) => track.seconds)) }
}
