import sharp from 'sharp'
import type { Refusal } from '#tasks/identity/engine.ts'

/** A picture that cannot be compared. */
export class PictureRefusal extends Error {
  override name = 'PictureRefusal'
  readonly code: Refusal['code']

  constructor(code: Refusal['code'], message: string) {
    super(message)
    this.code = code
  }
}

// Decoders of three formats out of memory, and no other: SVG would load what it names, others read files or start programs.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['Jpeg', 'Png', 'Webp'].map((format) => `VipsForeignLoad${format}Buffer`) })
sharp.cache(false)
sharp.concurrency(1)

/** Pixels of a picture at most: of what comes interlaced all are in memory at once. */
const maxPixels = 40e6

/** Pixels of the shorter side at least: less holds no face. */
const minSide = 64

/** The longer side of what the detector is shown, and the grey margin around it: without one, faces that fill a picture are missed. */
const [side, margin] = [480, 120]

/** A picture as the detector is shown it: RGB, a byte each. */
export interface Pixels {
  data: Buffer
  width: number
  height: number
  /** Pixels of the whole picture, and of its margin, for each of the detector's. */
  scale: number
  margin: number
}

/** Decodes a picture, upright and scaled; throws `Refused`. */
export async function readPixels(image: Uint8Array): Promise<Pixels> {
  checkFormat(image)
  const { width, height } = await seenSize(image)
  if (width * height > maxPixels) {
    const has = `has ${megapixels(width * height)} megapixels`
    throw new PictureRefusal('image_too_large', `${has}; the maximum is ${megapixels(maxPixels)}.`)
  }
  if (Math.min(width, height) < minSide) {
    throw new PictureRefusal(
      'face_too_small',
      `has ${width} × ${height} pixels; at least ${minSide} × ${minSide} are required.`,
    )
  }
  const { data, info } = await sharp(image, { limitInputPixels: maxPixels, failOn: 'error', sequentialRead: true })
    .autoOrient()
    .resize(side, side, { fit: 'inside' })
    .flatten({ background: '#808080' })
    .extend({ top: margin, bottom: margin, left: margin, right: margin, background: '#808080' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch(() => {
      throw unreadable()
    })
  return { data, width: info.width, height: info.height, scale: width / (info.width - 2 * margin), margin }
}

const megapixels = (pixels: number) => Math.round(pixels / 1e6)

const unreadable = () => new PictureRefusal('unreadable_image', 'is damaged or incomplete.')

/** Width and height as the picture is seen, out of its header. */
async function seenSize(image: Uint8Array): Promise<{ width: number; height: number }> {
  const header = await sharp(image, { limitInputPixels: false, failOn: 'error' })
    .metadata()
    .catch(() => {
      throw unreadable()
    })
  return header.autoOrient
}

const text = (image: Uint8Array, from: number, to: number) => Buffer.from(image.subarray(from, to)).toString('latin1')

/** Throws unless a picture begins as JPEG, PNG or WebP do. */
function checkFormat(image: Uint8Array): void {
  const head = text(image, 0, 16)
  const isKnown =
    head.startsWith('\xff\xd8\xff') ||
    head.startsWith('\x89PNG\r\n\x1a\n') ||
    (head.startsWith('RIFF') && head.slice(8, 12) === 'WEBP')
  if (!isKnown) throw new PictureRefusal('unsupported_image_format', `is ${kindOf(image)}; send JPEG, PNG or WebP.`)
}

/** What a picture of another format is, for people. */
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
