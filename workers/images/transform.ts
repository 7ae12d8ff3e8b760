import type { Sharp } from 'sharp'
import type { ImageFault, Transformed } from '#tasks/files/rules/images/engine.ts'
import type { Recipe } from '#tasks/files/rules/images/recipe.ts'
import { measure } from './measure.ts'
import { planSize } from './plan-size.ts'
import { maxAllPixels, maxFrames, openSource, readSource, type Source } from './source.ts'

type Output = 'avif' | 'webp' | 'jpeg' | 'png' | 'gif'

/** Maximum number of pixels of an AVIF image that was not asked for by name. Larger ones take many seconds. */
const mostAvifPixels = 6e6

/** Maximum number of pixels of all frames of an animated result. */
const mostAnimatedPixels = 48e6

export async function transform(bytes: Buffer, recipe: Recipe): Promise<Transformed> {
  const source = await readSource(bytes)
  if ('fault' in source) return source
  const size = planSize(source, recipe)
  if (!size) return { fault: 'result_too_large' }
  const moves = isAnimated(source, recipe)
  if (moves && isTooLong(source, size)) return { original: true }
  if (moves && source.isApng) return { original: true }
  const output = outputOf(source, recipe, size, moves)
  const image = resize(openSource(bytes, moves), recipe, moves)
  const made = await write(image, output, recipe)
    .toBuffer({ resolveWithObject: true })
    .catch(() => null)
  if (!made) return { fault: await findFault(bytes) }
  const { width, pageHeight, height } = made.info as typeof made.info & { pageHeight?: number }
  return { made: { bytes: made.data, contentType: `image/${output}`, width, height: pageHeight ?? height } }
}

/** Returns the fault of an image without a result. If the image can be decoded, the result needs too much memory. */
async function findFault(bytes: Buffer): Promise<ImageFault | 'result_too_large'> {
  const measured = await measure(bytes)
  return 'fault' in measured ? measured.fault : 'result_too_large'
}

/** True if the result keeps the animation: the recipe allows it, and its format can have frames. */
function isAnimated({ frames, isApng }: Source, { animated, format }: Recipe): boolean {
  const canMove = format === 'webp' || format === 'gif' || format.startsWith('auto-')
  return animated && canMove && (frames > 1 || isApng)
}

const isTooLong = ({ width, height, frames }: Source, size: { width: number; height: number }): boolean =>
  frames > maxFrames || frames * width * height > maxAllPixels || frames * size.width * size.height > mostAnimatedPixels

function outputOf(
  { alpha }: Source,
  { format }: Recipe,
  size: { width: number; height: number },
  moves: boolean,
): Output {
  if (!isAutomatic(format)) return format
  if (format === 'auto-old') return moves ? 'gif' : alpha ? 'png' : 'jpeg'
  const fits = size.width * size.height <= mostAvifPixels
  return format === 'auto-avif' && !moves && fits ? 'avif' : 'webp'
}

type Automatic = Extract<Recipe['format'], `auto-${string}`>

const isAutomatic = (format: Recipe['format']): format is Automatic => format.startsWith('auto-')

function resize(image: Sharp, recipe: Recipe, moves: boolean): Sharp {
  const { width, height, fit, enlarge } = recipe
  if (width === null && height === null) return image
  return image.resize({
    ...(width !== null && { width }),
    ...(height !== null && { height }),
    fit,
    position: positionOf(recipe, moves),
    background: recipe.background ? `#${recipe.background}` : { r: 255, g: 255, b: 255, alpha: 0 },
    withoutEnlargement: !enlarge,
  })
}

/** Returns sharp’s name of the position. It cannot search frames for their most interesting part. */
function positionOf({ position }: Recipe, moves: boolean): string {
  if (moves && (position === 'attention' || position === 'entropy')) return 'centre'
  return position === 'top-left' ||
    position === 'top-right' ||
    position === 'bottom-left' ||
    position === 'bottom-right'
    ? position.split('-').toReversed().join(' ')
    : position
}

/** Encodes the image in sRGB, without metadata. */
function write(image: Sharp, output: Output, { background, quality }: Recipe): Sharp {
  const colour = background ? `#${background}` : '#ffffff'
  const flat = output === 'jpeg' || background ? image.flatten({ background: colour }) : image
  switch (output) {
    case 'avif':
      return flat.avif({ quality: quality ?? 50, effort: 2 })
    case 'webp':
      return flat.webp({ quality: quality ?? 75 })
    case 'jpeg':
      return flat.jpeg({ quality: quality ?? 80 })
    case 'png':
      return flat.png()
    case 'gif':
      return flat.gif()
  }
}
