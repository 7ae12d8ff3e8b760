import type { VideoTrack } from '#tasks/video/engine.ts'
import type { Size } from '#tasks/video/rules/transcode/ladder.ts'
import type { Filter } from './command.ts'
import { isHuge } from './threads.ts'

/** ffmpeg's names of the colours of HDR sources, set explicitly because containers often leave some of them out. */
const hdrTransfers = { pq: 'smpte2084', hlg: 'arib-std-b67' } as const

// After scaling, as linear light takes 12 bytes a pixel: 25 MB a frame at 1080p, 100 MB at 4K.
function toneMap(range: 'pq' | 'hlg'): Filter[] {
  const stored = { color_primaries: 'bt2020', color_trc: hdrTransfers[range], colorspace: 'bt2020nc' }
  return [
    { filter: 'setparams', options: stored },
    { filter: 'zscale', options: { t: 'linear', npl: 100 } },
    { filter: 'format', options: 'gbrpf32le' },
    { filter: 'zscale', options: { p: 'bt709' } },
    { filter: 'tonemap', options: { tonemap: 'hable', desat: 0 } },
    { filter: 'zscale', options: { t: 'bt709', m: 'bt709', r: 'tv' } },
  ]
}

/** Colours to 8-bit limited range; only where the source differs, as the scale filter copies every frame when it is told a range. */
function colours({ fullRange, pixelFormat }: VideoTrack): Record<string, string> {
  const rgb = /^(a?(rgb|bgr)|gbr|0rgb|0bgr|pal8|x2rgb|x2bgr)/.test(pixelFormat)
  return { ...((fullRange || rgb) && { out_range: 'tv' }), ...(rgb && { out_color_matrix: 'bt709' }) }
}

/** What makes pictures of a huge film small before the frames wanted are picked, which holds some: 100 MB each in HDR. */
export const shrink = (video: VideoTrack, size: Size): Filter[] =>
  isHuge(video) && !video.interlaced ? [scale(size)] : []

/** Scales pictures to a size. */
export const scale = ({ width, height }: Size, options: Record<string, string> = {}): Filter => ({
  filter: 'scale',
  options: { w: width, h: height, flags: 'bicubic', ...options },
})

/** Makes pixels square. */
export const squarePixels: Filter = { filter: 'setsar', options: '1' }

/** The filters that make every frame of a (turned upright) source a progressive 8-bit 4:2:0 picture of an exact even size. */
export function normalise(video: VideoTrack, size: Size): Filter[] {
  const scaled = video.range === 'sdr' ? [scale(size, colours(video))] : [scale(size), ...toneMap(video.range)]
  return [...scaled, { filter: 'format', options: 'yuv420p' }, squarePixels]
}
