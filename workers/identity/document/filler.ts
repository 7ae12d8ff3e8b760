import type { Grey } from './picture.ts'
import type { Glyph } from './transcript.ts'

/**
 * Areas in the box of a filler `<`: areas without ink, and the area of its point. Fractions from the left and the top.
 */
const empty = [
  { left: 0, right: 0.3, top: 0.05, bottom: 0.28 },
  { left: 0, right: 0.3, top: 0.72, bottom: 0.95 },
  { left: 0.65, right: 1, top: 0.42, bottom: 0.58 },
]
const point = { left: 0, right: 0.45, top: 0.38, bottom: 0.62 }

/**
 * Maximum size in pixels of a character at recognition size. Larger glyphs are not characters and would take long to
 * check.
 */
const largest = { width: 100, height: 200 }

const [mostStray, leastPoint] = [0.12, 0.35]

/**
 * True if a recognised letter is a filler: a wedge that points to the left. Recognition reads some fillers as K, X or
 * C, and no check digit covers names.
 */
export function isFiller(picture: Grey, glyph: Glyph): boolean {
  const box = inkOf(picture, glyph)
  if (!box) return false
  const part = ({ left, right, top, bottom }: typeof point) => {
    const [x0, x1] = [left, right].map((at) => Math.round(box.left + at * (box.right - box.left))) as [number, number]
    const [y0, y1] = [top, bottom].map((at) => Math.round(box.top + at * (box.bottom - box.top))) as [number, number]
    let dark = 0
    for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) if (box.isInk(x, y)) dark++
    return dark / Math.max(1, (x1 - x0) * (y1 - y0))
  }
  return empty.every((area) => part(area) <= mostStray) && part(point) >= leastPoint
}

/** Returns the box of the ink within a glyph's box. The glyph's box is only approximate. */
function inkOf({ data, width, height }: Grey, glyph: Glyph) {
  const [x0, x1] = [Math.max(0, glyph.left - 1), Math.min(width, glyph.right + 1)]
  const [y0, y1] = [Math.max(0, height - glyph.top - 1), Math.min(height, height - glyph.bottom + 1)]
  if (x1 - x0 > largest.width || y1 - y0 > largest.height) return null
  let [dark, light] = [255, 0]
  for (let y = y0; y < y1; y++) {
    for (let x = x0; x < x1; x++) {
      const shade = data[y * width + x] ?? 255
      dark = Math.min(dark, shade)
      light = Math.max(light, shade)
    }
  }
  const isInk = (x: number, y: number) => (data[y * width + x] ?? 255) < (dark + light) / 2
  let [left, right, top, bottom] = [x1, x0, y1, y0]
  for (let y = y0; y < y1; y++) {
    for (let x = x0; x < x1; x++) {
      if (!isInk(x, y)) continue
      left = Math.min(left, x)
      right = Math.max(right, x + 1)
      top = Math.min(top, y)
      bottom = Math.max(bottom, y + 1)
    }
  }
  return right - left >= 4 && bottom - top >= 6 ? { left, right, top, bottom, isInk } : null
}
