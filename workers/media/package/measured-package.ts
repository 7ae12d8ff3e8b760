import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackagedRendition } from '#tasks/video/engine.ts'
import { masterPlaylist } from '#tasks/video/rules/hls/master-playlist.ts'
import { readMediaPlaylist } from '#tasks/video/rules/hls/media-playlist.ts'
import type { Rational } from '#tasks/video/rules/transcode/rational.ts'
import { type Sound, soundName } from '#tasks/video/rules/transcode/sound-tracks.ts'
import { type MediaRange, meanBitRate, peakBitRate } from './bit-rate.ts'
import { avcCodec, readFragments, readHeader, shiftSegment } from './cmaf.ts'
import { writeKeyPlaylist } from './key-frames.ts'

export interface TrackOnDisk {
  name: string
  width: number
  height: number
  /** RFC 6381 name of an audio track. A video track contains its own name. */
  codec?: string
  /** Only for audio: time from the first frame to the first packet in seconds. Default: 0. */
  lead?: number
  language?: string | null
  title?: string | null
  /** True to write a playlist of the key frames only. */
  keys?: boolean
}

export const describeAudioTrack = ({ place, language, title }: Sound): TrackOnDisk => ({
  name: soundName(place),
  width: 0,
  height: 0,
  language,
  title,
})

interface MeasuredTrack {
  lead: number
  rendition: PackagedRendition
  files: string[]
  seconds: number
  timescale: number
  /** First presentation time and first decode time in seconds. */
  shown: number
  decoded: number
  segmentFiles: string[]
}

async function measure(folder: string, track: TrackOnDisk): Promise<MeasuredTrack> {
  const { name, width, height, codec, language, title, lead = 0 } = track
  const playlist = `${name}.m3u8`
  const { map, target, segments } = readMediaPlaylist(await readFile(join(folder, playlist), 'utf8'))
  const header = await readHeader(join(folder, map))
  const keys = track.keys ? await writeKeyPlaylist(folder, { name, map, timescale: header.timescale, segments }) : null
  const ranges: MediaRange[] = []
  let samples = 0
  let first: { time: number; firstOffset: number } | undefined
  for (const { file, seconds } of segments) {
    const { size } = await stat(join(folder, file))
    const fragments = await readFragments(join(folder, file))
    first ??= fragments[0]
    for (const fragment of fragments) samples += fragment.samples
    ranges.push({ bits: size * 8, seconds })
  }
  const seconds = ranges.reduce((sum, range) => sum + range.seconds, 0)
  if (!first || seconds === 0) throw new Error(`The playlist ${playlist} is empty.`)
  const rendition = {
    name,
    playlist,
    width,
    height,
    frames: width > 0 ? samples : 0,
    segments: segments.length,
    bytes: ranges.reduce((sum, { bits }) => sum + bits / 8, 0),
    peakBitRate: peakBitRate(ranges, target),
    meanBitRate: meanBitRate(ranges),
    codec: header.avcConfig ? avcCodec(header.avcConfig) : (codec ?? 'mp4a.40.2'),
    ...(width === 0 && { language: language ?? null, title: title ?? null }),
    ...(keys && { keys }),
  }
  const { timescale } = header
  const times = { shown: (first.time + first.firstOffset) / timescale, decoded: first.time / timescale }
  const segmentFiles = segments.map(({ file }) => file)
  const files = [map, ...segmentFiles, ...(keys ? [keys.playlist] : []), playlist]
  return { lead, rendition, files, seconds, timescale, ...times, segmentFiles }
}

/**
 * ffmpeg starts the decode times of each playlist at 0, so the first frame is late by its reordering (67 ms at 30 fps).
 * The audio is moved by the same amount. If the audio would come first, the video is moved instead. Times below 0
 * cannot be written.
 */
async function align(folder: string, tracks: MeasuredTrack[]): Promise<void> {
  const moves = tracks.map(({ lead, rendition, shown }) => (rendition.frames > 0 ? 0 : lead) - shown)
  const lift = Math.max(0, ...tracks.map(({ decoded }, i) => -(decoded + (moves[i] ?? 0))))
  for (const [i, { timescale, segmentFiles }] of tracks.entries()) {
    const ticks = Math.round(((moves[i] ?? 0) + lift) * timescale)
    if (ticks === 0) continue
    for (const file of segmentFiles) await shiftSegment(join(folder, file), ticks)
  }
}

export async function finishPackage(
  folder: string,
  tracks: TrackOnDisk[],
  { rate, thumbnails = [] }: { rate: Rational | null; thumbnails?: string[] },
): Promise<{ renditions: PackagedRendition[]; files: string[]; bytes: number; seconds: number }> {
  const measured = await Promise.all(tracks.map((track) => measure(folder, track)))
  if (rate && measured.length > 1) await align(folder, measured)
  const renditions = measured.map(({ rendition }) => rendition)
  const master = masterPlaylist({ renditions, rate, thumbnails: thumbnails.at(-1) })
  await writeFile(join(folder, 'master.m3u8'), master)
  const files = [...measured.flatMap((track) => track.files), ...thumbnails, 'master.m3u8']
  const sizes = await Promise.all(files.map((file) => stat(join(folder, file))))
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
  return { renditions, files, bytes, seconds: Math.max(...measured.map((track) => track.seconds)) }
}
