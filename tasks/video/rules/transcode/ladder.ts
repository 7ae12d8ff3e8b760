import type { VideoTrack } from './media.ts'
import { type Rational, toNumber } from './rational.ts'

/** Processing profile. `fast_social` trades quality for speed, with up to 30 frames per second. */
export type ProcessingProfile = 'standard_vod' | 'fast_social'

export interface Rendition {
  /** `1080p` and so on: the rung, or the short side of a source below the lowest rung. */
  name: string
  /** Even, in square pixels, upright. */
  width: number
  height: number
  /** Constant quality of x264, lower is better, limited by `maxRate`. */
  crf: number
  /** Peak of the rate control in bits per second, over a buffer of `bufferSize` bits. */
  maxRate: number
  bufferSize: number
  /** H.264 level, such as `4.0`. */
  level: string
}

/** A size in square pixels, upright. */
export interface Size {
  width: number
  height: number
}

// Bit rate of 16:9 at 30 frames per second, in bits per second. With CRF 23, only complex videos reach this limit.
const rungs = [
  { side: 2160, rate: 16_000_000 },
  { side: 1440, rate: 9_000_000 },
  { side: 1080, rate: 5_000_000 },
  { side: 720, rate: 2_800_000 },
  { side: 480, rate: 1_400_000 },
  { side: 360, rate: 800_000 },
]

const lowest = 360

// A source of 1918x1078 or 640x352 counts as its rung at its own size. Otherwise the source would lose a third of its
// lines.
const tolerance = 0.95

// ITU-T H.264 table A-1: macroblocks per frame and per second, and bits per second times 1.25 for the High profile.
const levels = [
  ['3.0', 1_620, 40_500, 12_500_000],
  ['3.1', 3_600, 108_000, 17_500_000],
  ['3.2', 5_120, 216_000, 25_000_000],
  ['4.0', 8_192, 245_760, 25_000_000],
  ['4.2', 8_704, 522_240, 62_500_000],
  ['5.0', 22_080, 589_824, 168_750_000],
  ['5.1', 36_864, 983_040, 300_000_000],
] as const

/** Returns the nearest even size after scaling. If the size stays the same, returns the next lower even size. */
function evenSize({ width, height }: Size, scale: number): Size {
  const round = scale < 1 ? Math.round : Math.floor
  const even = (length: number) => Math.max(2, round((length * scale) / 2) * 2)
  return { width: even(width), height: even(height) }
}

/** Returns the display size of a track: upright, with square pixels. */
export function displaySize(video: VideoTrack): Size {
  const width = (video.width * video.pixelAspect.num) / video.pixelAspect.den
  return video.rotation % 180 === 0 ? { width, height: video.height } : { width: video.height, height: width }
}

/**
 * Returns the scale for a rung. Landscape fits into a 16:9 box (1080p is 1920x1080, an 1920x800 video keeps its size).
 * Portrait uses its short side, and with `fast_social` also up to 16/9 of it: 1920 px of height on the top rung.
 */
function shrink({ width, height }: Size, side: number, profile: ProcessingProfile): number {
  const short = side / Math.min(width, height)
  const long = (side * 16) / 9 / Math.max(width, height)
  return width >= height || profile === 'fast_social' ? Math.min(short, long) : short
}

function level({ width, height }: Size, rate: number, bits: number): string {
  const blocks = Math.ceil(width / 16) * Math.ceil(height / 16)
  const fit = levels.find(([, frame, second, peak]) => blocks <= frame && blocks * rate <= second && bits <= peak)
  return fit?.[0] ?? '5.2'
}

/**
 * Returns the bit rate for a size in bits per second. Larger videos need fewer bits per pixel, and 60 frames per second
 * need 1.5 times as many.
 */
function ceiling({ width, height }: Size, rung: { side: number; rate: number }, fps: number): number {
  const pixels = (width * height) / ((rung.side * rung.side * 16) / 9)
  const bits = rung.rate * pixels ** 0.75 * Math.max(1, fps / 30) ** 0.585
  return Math.max(64_000, Math.round(bits / 1000) * 1000)
}

function rendition(name: string, size: Size, rung: { side: number; rate: number }, rate: Rational): Rendition {
  const bits = ceiling(size, rung, toNumber(rate))
  const maxRate = Math.round(bits * 1.07)
  const bufferSize = Math.round(bits * 1.5)
  return { name, ...size, crf: 23, maxRate, bufferSize, level: level(size, toNumber(rate), maxRate) }
}

/** Default for the lines of the largest rendition. */
export const usualLines = 1080

/**
 * Returns the renditions of a track at an output frame rate, largest first. They are never upscaled. Returns at least
 * one rendition, and no rendition with more than `most` lines.
 */
export function planLadder(
  video: VideoTrack,
  profile: ProcessingProfile,
  rate: Rational,
  most = usualLines,
): Rendition[] {
  const shown = displaySize(video)
  const allowed = rungs.filter(({ side }) => side <= Math.max(most, lowest))
  const planned = allowed.flatMap((rung) => {
    const scale = shrink(shown, rung.side, profile)
    return scale * tolerance > 1 ? [] : [rendition(`${rung.side}p`, evenSize(shown, Math.min(1, scale)), rung, rate)]
  })
  if (planned.length > 0) return planned
  const own = evenSize(shown, 1)
  return [rendition(`${Math.min(own.width, own.height)}p`, own, { side: 360, rate: 800_000 }, rate)]
}
