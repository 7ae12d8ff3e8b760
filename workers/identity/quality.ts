import type { Pixels } from './pixels.ts'

/** Deviation of a face's Laplacian that counts as fully sharp. Photos in focus reach it. */
const sharp = 40

/**
 * Returns the sharpness and brightness of a part of an image, each from 0 to 1. Sharpness is the deviation of its
 * Laplacian. Brightness is the mean luma.
 */
export function measureQuality(
  { data, width, height }: Pixels,
  box: { x: number; y: number; width: number; height: number },
): { sharpness: number; brightness: number } {
  const [left, top] = [Math.max(1, Math.floor(box.x)), Math.max(1, Math.floor(box.y))]
  const [right, bottom] = [Math.min(width - 1, box.x + box.width), Math.min(height - 1, box.y + box.height)]
  const luma = (x: number, y: number) => {
    const at = 3 * (y * width + x)
    return 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0)
  }
  let [count, sum, edges, squares] = [0, 0, 0, 0]
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const here = luma(x, y)
      const edge = 4 * here - luma(x - 1, y) - luma(x + 1, y) - luma(x, y - 1) - luma(x, y + 1)
      count++
      sum += here
      edges += edge
      squares += edge * edge
    }
  }
  if (count === 0) return { sharpness: 0, brightness: 0 }
  const deviation = Math.sqrt(Math.max(0, squares / count - (edges / count) ** 2))
  return { sharpness: round(Math.min(1, deviation / sharp)), brightness: round(sum / count / 255) }
}

const round = (value: number) => Math.round(value * 1_000) / 1_000
