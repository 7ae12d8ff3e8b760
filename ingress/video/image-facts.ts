import { BadImage } from './bad-image.ts'
import { isJpeg, jpegSize } from './jpeg.ts'
import { isPng, pngSize } from './png.ts'

/** What a picture's own headers say. */
export interface ImageFacts {
  contentType: 'image/png' | 'image/jpeg'
  width: number
  height: number
}

/**
 * Reads what a PNG or JPEG says of itself, and throws `BadImage` for everything else: another format whatever its name, a
 * broken structure, bytes after the picture, in which another format could hide, and more pixels than `maxPixels`.
 */
export function imageFacts(bytes: Buffer, maxPixels: number): ImageFacts {
  const facts = factsOf(bytes)
  const { width, height } = facts
  if (width < 1 || height < 1) throw new BadImage('must have at least one pixel')
  if (width * height > maxPixels) throw new BadImage(`is ${width}x${height}, but must have up to ${maxPixels} pixels`)
  return facts
}

function factsOf(bytes: Buffer): ImageFacts {
  if (isPng(bytes)) return { contentType: 'image/png', ...pngSize(bytes) }
  if (isJpeg(bytes)) return { contentType: 'image/jpeg', ...jpegSize(bytes) }
  throw new BadImage('must be a PNG or JPEG image')
}
