import { badRequest } from '#lib/errors.ts'
import { BadImageError } from '../watermarks/bad-image.ts'
import { imageFacts } from '../watermarks/image-facts.ts'
import { isJpeg } from '../watermarks/jpeg.ts'
import { isPng } from '../watermarks/png.ts'
import { isWebp, webpSize } from './webp.ts'

/** Maximum size of a poster in bytes, and its maximum number of pixels. */
export const maxPosterBytes = 5 * 1024 ** 2
const maxPixels = 4096 * 4096

export interface PosterImage {
  bytes: Buffer
  contentType: 'image/png' | 'image/jpeg' | 'image/webp'
}

export const badImage = (issue: string) => badRequest([{ field: 'body.imageBase64', issue }])

/** Decodes base64 and checks the head of the image. Throws a 400 with the reason. */
export function readPosterImage(base64: string): PosterImage {
  const text = base64.replace(/^data:image\/[a-z+.-]+;base64,/i, '').replace(/\s+/g, '')
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 === 1) throw badImage('must be base64')
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length > maxPosterBytes)
    throw badImage(`has ${bytes.length} bytes, but must have up to ${maxPosterBytes} bytes`)
  try {
    return { bytes, contentType: typeOf(bytes) }
  } catch (error) {
    if (error instanceof BadImageError) throw badImage(error.message)
    throw error
  }
}

function typeOf(bytes: Buffer): PosterImage['contentType'] {
  if (isJpeg(bytes) || isPng(bytes)) return imageFacts(bytes, maxPixels).contentType
  if (!isWebp(bytes)) throw new BadImageError('must be a JPEG, PNG or WebP image')
  const { width, height } = webpSize(bytes)
  if (width * height > maxPixels)
    throw new BadImageError(`is ${width}x${height}, but must have up to ${maxPixels} pixels`)
  return 'image/webp'
}
