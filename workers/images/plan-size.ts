import type { Recipe } from '#tasks/files/rules/images/recipe.ts'

/** Maximum number of pixels of a result, and maximum length of a side. WebP has no longer sides. */
const [mostPixels, mostSide] = [4_096 * 4_096, 16_383]

interface Size {
  width: number
  height: number
}

/** Returns the size of the result. `null` if the result is too large, for example `outside` a very narrow image. */
export function planSize(source: Size, recipe: Recipe): Size | null {
  const size = sizeOf(source, recipe)
  return size.width * size.height <= mostPixels && Math.max(size.width, size.height) <= mostSide ? size : null
}

function sizeOf(source: Size, { width, height, fit, enlarge }: Recipe): Size {
  const [across, down] = [(width ?? source.width) / source.width, (height ?? source.height) / source.height]
  if (width !== null && height !== null && (fit === 'cover' || fit === 'contain' || fit === 'fill')) {
    return enlarge || fit === 'contain' ? { width, height } : smaller({ width, height }, source)
  }
  const scale = scaleOf({ across, down, hasWidth: width !== null, hasHeight: height !== null, fit })
  const kept = enlarge ? scale : Math.min(1, scale)
  return { width: Math.round(source.width * kept) || 1, height: Math.round(source.height * kept) || 1 }
}

const smaller = (box: Size, source: Size): Size => ({
  width: Math.min(box.width, source.width),
  height: Math.min(box.height, source.height),
})

function scaleOf(given: {
  across: number
  down: number
  hasWidth: boolean
  hasHeight: boolean
  fit: Recipe['fit']
}): number {
  const { across, down, hasWidth, hasHeight, fit } = given
  if (hasWidth && hasHeight) return fit === 'outside' ? Math.max(across, down) : Math.min(across, down)
  if (hasWidth) return across
  return hasHeight ? down : 1
}
