import sharp from 'sharp'
import type { Refusal } from '#tasks/identity/engine.ts'

export class ImageRefusalError extends Error {
  override name = 'ImageRefusalError'
  readonly code: Refusal['code']

  constructor(code: Refusal['code'], message: string) {
    super(message)
    this.code = code
  }
}

// Allows only the decoders of three formats, from memory. SVG would load other files, and other decoders read files or
// start programs.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp'].map((format) => `VipsForeignLoad${format}Buffer`) })
sharp.cache(false)
sharp.concurrency(1)

/** Maximum number of pixels. Interlaced images are decoded in memory as a whole. */
const maxPixels = 40e6

/** Maximum number of pixels of a selfie’s frame. The page sends less than one megapixel. */
export const maxFramePixels = 4e6

/** Minimum length in pixels of the shorter side. Smaller images contain no face. */
const minSide = 64

/**
 * Length in pixels of the longer side of the detector's input, and of its grey margin. Without a margin, faces that
 * fill an image are missed.
 */
const [side, margin] = [480, 120]

/** An image as input of the detector: RGB with one byte per channel. */
export interface Pixels {
  data: Buffer
  width: number
  height: number
  /** Pixels of the original image per pixel of the input, and width of the margin in pixels. */
  scale: number
  margin: number
}

/** A part of an image in pixels, after EXIF rotation. */
export interface Part {
  left: number
  top: number
  width: number
  height: number
}

interface Reading {
  part?: Part
  /** Clockwise rotation after EXIF rotation. Cannot be combined with `part`. */
  degrees?: 0 | 90 | 180 | 270
  /** Maximum number of pixels of the whole image. */
  most?: number
}

/** Decodes an image or a part of it. Returns it upright and scaled. Throws `Refused`. */
export async function readPixels(
  image: Uint8Array,
  { part, degrees = 0, most = maxPixels }: Reading = {},
): Promise<Pixels> {
  const { width, height } = part ?? (await readSize(image, most))
  const decoder = sharp(image, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: degrees === 0 })
  const seen = part ? decoder.autoOrient().extract(part) : decoder.autoOrient().rotate(degrees)
  const { data, info } = await seen
    .resize(side, side, { fit: 'inside' })
    .flatten({ background: '#808080' })
    .extend({ top: margin, bottom: margin, left: margin, right: margin, background: '#808080' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch(() => {
      throw unreadable()
    })
  const shown = degrees % 180 === 0 ? width : height
  return { data, width: info.width, height: info.height, scale: shown / (info.width - 2 * margin), margin }
}

/** Returns the image if no side is longer than `longest` pixels. Otherwise returns a smaller upright copy. */
export async function copySmaller(image: Uint8Array, longest: number): Promise<Uint8Array> {
  const { width, height } = await readSize(image)
  if (Math.max(width, height) <= longest) return image
  return await sharp(image, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true })
    .autoOrient()
    .resize(longest, longest, { fit: 'inside' })
    .flatten({ background: '#808080' })
    .toColourspace('srgb')
    .jpeg({ quality: 95, chromaSubsampling: '4:4:4' })
    .toBuffer()
    .catch(() => {
      throw unreadable()
    })
}

/** Returns the size of an image after EXIF rotation. Throws `Refused` if the image cannot contain a face. */
export async function readSize(image: Uint8Array, most = maxPixels): Promise<{ width: number; height: number }> {
  checkFormat(image)
  const { width, height } = await seenSize(image)
  if (width * height > most) {
    const has = `has ${megapixels(width * height)} megapixels`
    throw new ImageRefusalError('image_too_large', `${has}; the maximum is ${megapixels(most)}.`)
  }
  if (Math.min(width, height) < minSide) {
    throw new ImageRefusalError(
      'face_too_small',
      `has ${width} × ${height} pixels; at least ${minSide} × ${minSide} are required.`,
    )
  }
  return { width, height }
}

const megapixels = (pixels: number) => Math.round(pixels / 1e6)

const unreadable = () => new ImageRefusalError('unreadable_image', 'is damaged or incomplete.')

/** Returns width and height after EXIF rotation, from the header. */
async function seenSize(image: Uint8Array): Promise<{ width: number; height: number }> {
  const header = await sharp(image, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch(() => {
      throw unreadable()
    })
  return header.autoOrient
}

const text = (image: Uint8Array, from: number, to: number) => Buffer.from(image.subarray(from, to)).toString('latin1')

function checkFormat(image: Uint8Array): void {
  const head = text(image, 0, 16)
  const isKnown =
    head.startsWith('\xff\xd8\xff') ||
    head.startsWith('\x89PNG\r\n\x1a\n') ||
    (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP')
  if (!isKnown) throw new ImageRefusalError('unsupported_image_format', `is ${kindOf(image)}; send JPEG, PNG or WebP.`)
}

function kindOf(image: Uint8Array): string {
  if (text(image, 4, 8) === 'ftyp') {
    const brand = text(image, 8, 12)
    return /^avi[fs]/.test(brand) ? 'AVIF' : 'HEIC, a format of phones'
  }
  const start = text(image, 0, 1_000)
  if (/<svg|<\?xml|<!doctype svg/i.test(start)) return 'SVG'
  if (start.startsWith('GIF8')) return 'GIF'
  if (start.startsWith('%PDF')) return 'PDF'
  return 'not a known image format'
}
