import type { RenditionHeight } from '#sql/live/channels.ts'
import { videoTimescale } from './rebase.ts'
import type { Track } from './tracks.ts'

/** Bit rate in kilobits per second, and H.264 level (ISO/IEC 14496-10, A.3) for 60 frames per second at this size. */
const coded: Readonly<Record<RenditionHeight, { rate: number; level: number }>> = {
  720: { rate: 2_500, level: 40 },
  480: { rate: 1_200, level: 31 },
  360: { rate: 700, level: 31 },
}

/** Bit rate in kilobits per second of audio, which is copied, and overhead factor of packaging (10 %). */
const [soundRate, packaging] = [160, 1.1]

export const renditionPlaylist = (height: number): string => `live-${height}.m3u8`

export interface RenditionFacts {
  height: RenditionHeight
  width: number
  codec: string
  /** Bandwidth that a player needs, in bits per second. */
  bandwidth: number
}

export function selectRenditions(heights: readonly RenditionHeight[], source: Track | undefined): RenditionFacts[] {
  if (!source) return []
  return heights
    .filter((height) => height < source.height)
    .map((height) => {
      const { rate, level } = coded[height]
      return {
        height,
        width: 2 * Math.round((source.width * height) / source.height / 2),
        codec: `avc1.4D40${level.toString(16).toUpperCase()}`,
        bandwidth: Math.ceil(1000 * (rate * packaging + soundRate)),
      }
    })
}

const ticks = `1:${videoTimescale}`

/**
 * Returns the ffmpeg options for renditions. All renditions have the same frames at the same times, and key frames
 * where the source has them, so that all have the same parts.
 */
export function getEncodingOptions(renditions: readonly RenditionFacts[]): string[] {
  const each = renditions.flatMap(({ height, width }, i) => {
    const of = (option: string) => `-${option}:v:${i}`
    const { rate, level } = coded[height]
    return [
      ...[of('c'), 'libx264', of('preset'), 'veryfast', of('tune'), 'zerolatency', of('profile'), 'main'],
      ...[of('level'), String(level), of('filter'), `scale=${width}:${height},format=yuv420p`],
      ...[of('fps_mode'), 'passthrough', of('enc_time_base'), ticks, of('time_base'), ticks],
      ...[of('b'), `${rate}k`, of('maxrate'), `${rate}k`, of('bufsize'), `${rate}k`, of('threads'), '1'],
      ...[of('g'), '6000', of('sc_threshold'), '0', of('force_key_frames'), 'source'],
    ]
  })
  return [...renditions.flatMap(() => ['-map', '0:v:0']), ...each]
}
