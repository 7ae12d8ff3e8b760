import { encode } from 'blurhash'
import type { Measured } from '#tasks/files/rules/images/engine.ts'
import { openSource, readSource } from './source.ts'

/** Longest side in pixels of the image that the blurhash describes. */
const sampleSide = 32

/** Returns size, frames and blurhash. Decodes the whole first frame, so it finds damaged images. */
export async function measure(bytes: Buffer): Promise<Measured> {
  const source = await readSource(bytes)
  if ('fault' in source) return source
  const sample = await openSource(bytes, false)
    .resize(sampleSide, sampleSide, { fit: 'inside' })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch(() => null)
  if (!sample) return { fault: 'damaged' }
  const { data, info } = sample
  const [x, y] = componentsOf(info)
  const blurhash = encode(new Uint8ClampedArray(data), info.width, info.height, x, y)
  const { width, height, frames, alpha } = source
  return { facts: { width, height, frames, alpha, blurhash } }
}

/** Returns the number of components: four along the longer side. */
function componentsOf({ width, height }: { width: number; height: number }): [number, number] {
  const shorter = Math.max(1, Math.round((4 * Math.min(width, height)) / Math.max(width, height)))
  return width >= height ? [4, shorter] : [shorter, 4]
}
