import { BadImageError } from './bad-image.ts'
import { isJpeg, jpegSize } from './jpeg.ts'
import { isPng, pngSize } from './png.ts'

export interface ImageFacts {
  contentType: 'image/png' | 'image/jpeg'
  width: number
  height: number
}

/**
 * Returns the type and size of a PNG or JPEG. Throws `BadImageError` for other formats, broken images and more than
 * `maxPixels` pixels. Also throws if there are bytes after the image, because they could hide another format.
 */
export function imageFacts(bytes: Buffer, maxPixels: number): ImageFacts {
  const facts = factsOf(bytes)
  const { width, height } = facts
  if (width < 1 || height < 1) throw new BadImageError('must have at least one pixel')
  if (width * height > maxPixels)
    throw new BadImageError(`is ${width}x${height}, but must have up to ${maxPixels} pixels`)
  return facts
}

function factsOf(bytes: Buffer): ImageFacts {
  if (isPng(bytes)) return { contentType: 'image/png', ...pngSize(bytes) }
  if (isJpeg(bytes)) return { contentType: 'image/jpeg', ...jpegSize(bytes) }
  throw new BadImageError('must be a PNG or JPEG image')
}
