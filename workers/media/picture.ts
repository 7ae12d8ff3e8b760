import type { VideoTrack } from '#tasks/video/engine.ts'
import { displaySize, type Size } from '#tasks/video/rules/transcode/ladder.ts'
import type { Filter } from './command.ts'
import { type Box, bars, fit } from './fit.ts'
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

/** A size as a box in which the pictures of a track are shown. */
function boxOf(video: VideoTrack, size: Size): Box {
  const shown = displaySize(video)
  return { ...size, aspect: shown.width / shown.height }
}

/**
 * What comes before the frames wanted are picked, which holds some. Pictures of a huge film are made small, as they take 100 MB each in
 * HDR; those of fields are brought to one size, as fields of two sizes cannot be woven.
 */
export function prepare(video: VideoTrack, size: Size): Filter[] {
  if (video.interlaced) {
    const sideways = video.rotation % 180 !== 0
    const stored = sideways ? { width: video.height, height: video.width } : video
    const box = boxOf(video, { width: stored.width, height: stored.height })
    return [fit(box, { interl: -1 }), bars(box)]
  }
  return isHuge(video) ? [fit(boxOf(video, size)), bars(size)] : []
}

/** Scales pictures to a size. */
export const scale = ({ width, height }: Size): Filter => ({
  filter: 'scale',
  options: { w: width, h: height, flags: 'bicubic' },
})

/** Makes pixels square. */
export const squarePixels: Filter = { filter: 'setsar', options: '1' }

/** The filters that make every frame of a (turned upright) source a progressive 8-bit 4:2:0 picture of an exact even size. */
export function normalise(video: VideoTrack, size: Size): Filter[] {
  const box = boxOf(video, size)
  const plain = { filter: 'format', options: 'yuv420p' }
  if (video.range === 'sdr') return [fit(box, colours(video)), plain, bars(box), squarePixels]
  return [fit(box), bars(box), ...toneMap(video.range), plain, squarePixels]
}
