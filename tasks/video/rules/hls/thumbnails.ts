import type { ChunkPlan } from '../transcode/chunks.ts'
import type { Size } from '../transcode/ladder.ts'
import { toNumber } from '../transcode/rational.ts'

export interface Thumbnails {
  /** Size of one image in pixels. The longer side is 160. */
  size: Size
  count: number
  /** Number of key frames from one image to the next. */
  every: number
  columns: number
  /** Rows of a sheet. The last sheet can have empty space. */
  rows: number
}

const longSide = 160
const columns = 10
const rows = 10

/** Maximum number of images. More are useless, because a seek bar is only a few hundred pixels wide. */
const most = 300

/** Plans one image per key frame of a rendition, or one for several key frames of a long video. */
export function planThumbnails({ width, height }: Size, { frames, gop }: ChunkPlan): Thumbnails {
  const scale = longSide / Math.max(width, height)
  const even = (length: number) => Math.max(2, Math.round((length * scale) / 2) * 2)
  const keys = Math.ceil(frames / gop)
  const every = Math.ceil(keys / most)
  const count = Math.ceil(keys / every)
  return {
    size: { width: even(width), height: even(height) },
    count,
    every,
    columns: Math.min(columns, count),
    rows: Math.min(rows, Math.ceil(count / columns)),
  }
}

export const thumbnailsFile = 'thumbnails.vtt'

export const sheetFile = (index: number): string => `thumbnails_${String(index).padStart(3, '0')}.jpg`

export function sheetFiles({ count, columns, rows }: Thumbnails): string[] {
  return Array.from({ length: Math.ceil(count / (columns * rows)) }, (_, index) => sheetFile(index))
}

const clock = (seconds: number): string => {
  const whole = Math.round(seconds * 1000)
  const two = (value: number) => String(Math.floor(value) % 60).padStart(2, '0')
  const hours = String(Math.floor(whole / 3_600_000)).padStart(2, '0')
  return `${hours}:${two(whole / 60_000)}:${two(whole / 1000)}.${String(whole % 1000).padStart(3, '0')}`
}

/** Writes the WebVTT file. Its cues name parts of the sheets by media fragments (`#xywh=`, in pixels). */
export function thumbnailsTrack(thumbnails: Thumbnails, { frames, gop, rate }: ChunkPlan): string {
  const { count, every, columns, rows, size } = thumbnails
  const at = (index: number) => clock(Math.min(frames, index * every * gop) / toNumber(rate))
  const cues = Array.from({ length: count }, (_, index) => {
    const place = index % (columns * rows)
    const [x, y] = [(place % columns) * size.width, Math.floor(place / columns) * size.height]
    const sheet = sheetFile(Math.floor(index / (columns * rows)))
    return `${at(index)} --> ${at(index + 1)}\n${sheet}#xywh=${x},${y},${size.width},${size.height}\n`
  })
  return ['WEBVTT\n', ...cues].join('\n')
}
