import sharp, { type Metadata, type Sharp } from 'sharp'
import type { ImageFault } from '#tasks/files/rules/images/engine.ts'

// Allows only the decoders of five formats, from memory. SVG would load other files, and other decoders read files or
// start programs.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'].map((format) => `VipsForeignLoad${format}Buffer`),
})
sharp.cache(false)

/** Maximum number of pixels of a frame, and of all frames. Interlaced images are decoded in memory as a whole. */
export const [maxPixels, maxAllPixels] = [64e6, 64e6]

export const maxFrames = 500

/** An image whose header was read. Sizes are upright, and of one frame. */
export interface Source {
  width: number
  height: number
  frames: number
  alpha: boolean
  format: Metadata['format']
  /** True if the image is animated in a format whose other frames the engine does not read. */
  isApng: boolean
}

/** Reads the header. Returns the reason if the image cannot be decoded. */
export async function readSource(bytes: Buffer): Promise<Source | { fault: ImageFault }> {
  const header = await sharp(bytes, { limitInputPixels: false, animated: true })
    .metadata()
    .catch(() => null)
  if (!header?.width || !header.height) return { fault: 'damaged' }
  // HEIF files in other codecs than AV1 cannot be decoded.
  if (header.format === 'heif' && header.compression !== 'av1') return { fault: 'damaged' }
  const turned = (header.orientation ?? 1) >= 5
  const [w, h] = [header.width, header.pageHeight ?? header.height]
  const [width, height] = turned ? [h, w] : [w, h]
  if (width * height > maxPixels) return { fault: 'too_many_pixels' }
  const isApng = header.format === 'png' && hasAnimationControl(bytes)
  return { width, height, frames: header.pages ?? 1, alpha: header.hasAlpha ?? false, format: header.format, isApng }
}

/** Opens the first frame upright, or all frames of an animation. */
export const openSource = (bytes: Buffer, animated: boolean): Sharp => {
  const image = sharp(bytes, { limitInputPixels: maxAllPixels, failOn: 'error', animated, sequentialRead: true })
  return animated ? image : image.autoOrient()
}

/** True if a PNG has the chunk `acTL` before its pixels (APNG). */
function hasAnimationControl(png: Buffer): boolean {
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at)) {
    const name = png.toString('latin1', at + 4, at + 8)
    if (name === 'acTL') return true
    if (name === 'IDAT') return false
  }
  return false
}
