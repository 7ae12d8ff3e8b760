import type { VideoTrack } from '#tasks/video/engine.ts'
import { displaySize, type Size } from '#tasks/video/rules/transcode/ladder.ts'
import type { Filter } from '../command.ts'
import { isHuge } from '../threads.ts'
import { addBars, type Box, scaleIntoBox } from './fit.ts'

/** ffmpeg's names of HDR colours. They are set explicitly, because containers often omit some of them. */
const hdrTransfers = { pq: 'smpte2084', hlg: 'arib-std-b67' } as const

// Runs after scaling, because linear light needs 12 bytes per pixel: 25 MB per frame at 1080p and 100 MB at 4K.
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

/**
 * Converts colours to 8-bit limited range, but only if the source differs. If a range is set, the scale filter copies
 * every frame.
 */
function colours({ fullRange, pixelFormat }: VideoTrack): Record<string, string> {
  const rgb = /^(a?(rgb|bgr)|gbr|0rgb|0bgr|pal8|x2rgb|x2bgr)/.test(pixelFormat)
  return { ...((fullRange || rgb) && { out_range: 'tv' }), ...(rgb && { out_color_matrix: 'bt709' }) }
}

function boxOf(video: VideoTrack, size: Size): Box {
  const shown = displaySize(video)
  return { ...size, aspect: shown.width / shown.height }
}

/**
 * Returns the filters that run before frame selection, which buffers frames. Huge videos are scaled down, because a
 * frame needs 100 MB in HDR. Interlaced videos get one size, because fields of different sizes cannot be combined.
 */
export function prepare(video: VideoTrack, size: Size): Filter[] {
  if (video.interlaced) {
    const sideways = video.rotation % 180 !== 0
    const stored = sideways ? { width: video.height, height: video.width } : video
    const box = boxOf(video, { width: stored.width, height: stored.height })
    return [scaleIntoBox(box, { interl: -1 }), addBars(box)]
  }
  return isHuge(video) ? [scaleIntoBox(boxOf(video, size)), addBars(size)] : []
}

export const scale = ({ width, height }: Size): Filter => ({
  filter: 'scale',
  options: { w: width, h: height, flags: 'bicubic' },
})

export const squarePixels: Filter = { filter: 'setsar', options: '1' }

/** Returns filters that convert every frame of an upright source to progressive 8-bit 4:2:0 with an exact even size. */
export function normalise(video: VideoTrack, size: Size): Filter[] {
  const box = boxOf(video, size)
  const plain = { filter: 'format', options: 'yuv420p' }
  if (video.range === 'sdr') return [scaleIntoBox(box, colours(video)), plain, addBars(box), squarePixels]
  return [scaleIntoBox(box), addBars(box), ...toneMap(video.range), plain, squarePixels]
}
