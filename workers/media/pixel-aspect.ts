import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import type { EngineCall, Probe, Timeline, VideoTrack } from '#tasks/video/engine.ts'
import { parseRational, type Rational, toNumber } from '#tasks/video/rules/transcode/rational.ts'
import type { MediaTools } from './media-tools.ts'
import { type Box, boxesAt, boxesIn, topBoxes } from './package/boxes.ts'
import { openMezzanine } from './untrusted.ts'

/** Containers without a pixel aspect. Players use the aspect in the frames, where it can change. */
const withoutAspect = new Set(['mpegts', 'mpeg'])

const headers: Record<string, number> = { mpeg2video: 0xb3, h264: 7, hevc: 33 }

/**
 * Returns the format in which a track's headers are stored in a separate file. Returns `null` if the track's frames
 * cannot change their aspect.
 */
export function getStoredHeaders({ format, video }: Probe): string[] | null {
  const type = video && headers[video.codec]
  if (!type || !withoutAspect.has(format)) return null
  return ['-c', 'copy', '-bsf:v', `filter_units=pass_types=${type}`, '-f', 'data']
}

/** Maximum number of bytes of a header that are read. */
const longest = 4096

const startCode = Buffer.from([0, 0, 1])

/** Yields the data after each start code of a file, including the zeros before the next start code. */
async function* units(path: string): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  for await (const block of createReadStream(path)) {
    rest = Buffer.concat([rest, block as Buffer])
    while (true) {
      const at = rest.indexOf(startCode, 1)
      if (at < 0) break
      yield rest.subarray(0, at)
      rest = rest.subarray(at)
    }
    if (rest.length > longest) return
  }
  yield rest
}

/** Returns the aspect information of a header, or `null` if the header is truncated. */
function told(unit: Buffer, codec: string): string | null {
  if (!unit.subarray(0, 3).equals(startCode) || unit.length < 8) return null
  // Width and height have 12 bits each and the aspect 4 (ISO/IEC 13818-2, 6.2.2.1). In other codecs, the aspect comes
  // much later.
  if (codec === 'mpeg2video') return String((unit[7] as number) >> 4)
  let end = unit.length
  while (unit[end - 1] === 0) end--
  return unit.toString('latin1', 0, end)
}

export async function canChangeAspect(path: string, codec: string): Promise<boolean> {
  let first: string | undefined
  for await (const unit of units(path)) {
    const says = told(unit, codec)
    if (says === null) continue
    first ??= says
    if (says !== first) return true
  }
  return false
}

/**
 * Returns the boxes of a track that contain its aspect: display size, stored size, and aspect (ISO/IEC 14496-12, 8.3.2
 * and 12.1.4).
 */
function aspectBoxes(moov: Buffer): { shown: Box; stored: Box; aspects: Box[] }[] {
  return boxesAt(moov, 'trak').flatMap((trak) => {
    const [shown] = boxesAt(moov, 'tkhd', trak.start, trak.end)
    const [table] = boxesAt(moov, 'mdia/minf/stbl/stsd', trak.start, trak.end)
    const isVideo = boxesAt(moov, 'mdia/minf/vmhd', trak.start, trak.end).length > 0
    const [stored] = table && isVideo ? boxesIn(moov, table.start + 8, table.end) : []
    if (!shown || !stored) return []
    return [{ shown, stored, aspects: boxesAt(moov, 'pasp', stored.start + 78, stored.end) }]
  })
}

/** Removes the pixel aspect from an MP4, because ffmpeg prefers it to the aspect of each frame. */
export async function removeAspect(path: string): Promise<void> {
  await using file = await open(path, 'r+')
  for (const { box, content: moov } of await topBoxes(file, ['moov'])) {
    for (const { shown, stored, aspects } of aspectBoxes(moov)) {
      // Both boxes store width and height: one box in 16.16 bits at its end, the other in 16 bits.
      for (const place of [0, 1]) {
        const length = moov.readUInt16BE(stored.start + 24 + place * 2)
        moov.writeUInt32BE(length * 0x1_0000, shown.end - 8 + place * 4)
      }
      for (const { start } of aspects) moov.write('free', start - 4, 'latin1')
    }
    await file.write(moov, 0, moov.length, box.start)
  }
}

const places = 48

/** Lists the aspects of frames in a mezzanine that declares no aspect. Only frames with the size of the track count. */
async function aspects(
  tools: MediaTools,
  { path, video, timeline }: { path: string; video: VideoTrack; timeline: Timeline },
  call: EngineCall,
): Promise<Rational[]> {
  const tick = toNumber(timeline.timeBase)
  const at = (place: number) => (timeline.first + ((place + 0.5) / places) * (timeline.last - timeline.first)) * tick
  const intervals = Array.from({ length: places }, (_, place) => `${at(place).toFixed(3)}%+#1`).join(',')
  const show = ['-select_streams', String(video.index), '-read_intervals', intervals]
  const fields = ['-show_entries', 'frame=width,height,sample_aspect_ratio', '-of', 'csv=p=0']
  const found: Rational[] = []
  await tools.ffprobe([...show, ...fields], openMezzanine(path), {
    call,
    timeout: 120_000,
    onOutput: (line) => {
      const [width, height, ratio] = line.split(',')
      const aspect = parseRational(ratio)
      if (aspect && Number(width) === video.width && Number(height) === video.height) found.push(aspect)
    },
  })
  return found
}

/** If a track's frames change their aspect and the mezzanine declares none, sets the aspect that lasts longest. */
export async function setCommonestAspect(
  tools: MediaTools,
  input: { path: string; video: VideoTrack; timeline: Timeline },
  call: EngineCall,
): Promise<VideoTrack> {
  const counts = new Map<string, { aspect: Rational; count: number }>()
  for (const aspect of await aspects(tools, input, call)) {
    const key = `${aspect.num}:${aspect.den}`
    counts.set(key, { aspect, count: (counts.get(key)?.count ?? 0) + 1 })
  }
  const [commonest] = [...counts.values()].toSorted((a, b) => b.count - a.count)
  const { video } = input
  return commonest ? { ...video, pixelAspect: commonest.aspect, reshaped: counts.size > 1 } : video
}
