import type { Size } from '#tasks/video/rules/transcode/ladder.ts'
import type { Filter } from '../command.ts'

/**
 * Maximum difference in shape with which a frame still fills the box, as a share. Sizes and pixel aspects are rounded.
 */
const alike = 0.02

/** A box for frames: its size, and its display aspect ratio (width by height). */
export interface Box extends Size {
  aspect: number
}

const even = (length: string) => `max(2,2*floor((${length})/2+0.01))`

/**
 * Scales frames of any size into a box, because a track can change its size. Frames of another shape keep it and get
 * black bars from `bars`. It must follow once the format of the frames allows drawing.
 */
export function scaleIntoBox({ width, height, aspect }: Box, options: Record<string, string | number> = {}): Filter {
  const fills = `lt(abs(dar/${aspect}-1),${alike})`
  const w = `if(${fills}+gt(dar,${aspect}),${width},${even(`${width}*dar/${aspect}`)})`
  const h = `if(${fills}+lt(dar,${aspect}),${height},${even(`${height}*${aspect}/dar`)})`
  return { filter: 'scale', options: { w, h, eval: 'frame', flags: 'bicubic', ...options } }
}

/** Centres frames in a box on black. The number of lines above them is even, so that fields stay fields. */
export const addBars = ({ width, height }: Size): Filter => ({
  filter: 'pad',
  options: { w: width, h: height, x: '2*floor((ow-iw)/4)', y: '2*floor((oh-ih)/4)', color: 'black', eval: 'frame' },
})
