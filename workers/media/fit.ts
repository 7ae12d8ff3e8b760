import type { Size } from '#tasks/video/rules/transcode/ladder.ts'
import type { Filter } from './command.ts'

/** Frames whose shape differs from the box's by less than this share fill it: sizes are rounded, and so are pixel aspects. */
const alike = 0.02

/** A box to show frames in: its size, and the shape at which it is shown (width by height). */
export interface Box extends Size {
  aspect: number
}

const even = (length: string) => `max(2,2*floor((${length})/2+0.01))`

/**
 * Scales every frame into a box, whatever its size: a track may change that. Frames of another shape than the box keep theirs, and get black
 * bars from `bars`, which has to come next to or after this, once frames have a format that can be drawn on.
 */
export function fit({ width, height, aspect }: Box, options: Record<string, string | number> = {}): Filter {
  const fills = `lt(abs(dar/${aspect}-1),${alike})`
  const w = `if(${fills}+gt(dar,${aspect}),${width},${even(`${width}*dar/${aspect}`)})`
  const h = `if(${fills}+lt(dar,${aspect}),${height},${even(`${height}*${aspect}/dar`)})`
  return { filter: 'scale', options: { w, h, eval: 'frame', flags: 'bicubic', ...options } }
}

/** Puts frames into the middle of a box, on black; an even number of lines from its top, so that fields stay fields. */
export const bars = ({ width, height }: Size): Filter => ({
  filter: 'pad',
  options: { w: width, h: height, x: '2*floor((ow-iw)/4)', y: '2*floor((oh-ih)/4)', color: 'black', eval: 'frame' },
})
