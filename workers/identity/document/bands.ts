import { type Grey, type Region, shrink } from './picture.ts'

const searchWidth = 900

/** Minimum difference of neighbouring shades at an upright stroke, of 255 after stretching. */
const edge = 45

/** Minimum number of strokes to detect blur. With fewer strokes, the image counts as empty. */
const fewest = 400

/** Maximum rotation of lines in degrees in both directions, and step of the search in degrees. */
const [mostDegrees, step] = [14, 0.5]

/** Number of pixels per bin. A row belongs to a long line if most adjacent bins contain an upright stroke. */
const bin = 8

const gap = 2

/** Minimum length of a line as a share of the width. */
const leastLength = 0.3

export interface Band {
  region: Region
  /** Length of the lines in pixels of the image. */
  length: number
  score: number
}

export interface BandSearch {
  bands: Band[]
  /** Share of the upright strokes that are as sharp as print in focus. */
  sharpness: number
}

/** Finds blocks of long, dense text lines, rotated by up to 14 degrees. */
export function findBands(whole: Grey): BandSearch {
  const { picture, factor } = shrink(whole, searchWidth)
  const { points, sharpness } = strokesOf(picture)
  const angle = angleOf(points, picture)
  const rows = rowsOf(points, picture, angle)
  const bands = blocksOf(rows, picture).map((block) => bandOf(block, picture, angle, factor))
  return { bands: bands.sort((a, b) => b.score - a.score), sharpness }
}

/** Columns and rows of points. They are arrays of numbers instead of objects, because noise has millions of points. */
interface Points {
  xs: Uint16Array
  ys: Uint16Array
}

function strokesOf({ data, width, height }: Grey): { points: Points; sharpness: number } {
  const [dark, light] = rangeOf(data)
  const stretch = 255 / Math.max(32, light - dark)
  const [xs, ys] = [new Uint16Array(width * height), new Uint16Array(width * height)]
  let [count, steep] = [0, 0]
  for (let y = 0; y < height; y++) {
    for (let x = 1; x < width - 1; x++) {
      const i = y * width + x
      const [before = 0, here = 0, after = 0] = [data[i - 1], data[i], data[i + 1]]
      if (Math.abs(after - before) * stretch < edge) continue
      xs[count] = x
      ys[count++] = y
      // In focus, an edge is one or two pixels wide. A blurred edge spreads over many pixels.
      if (Math.max(Math.abs(after - here), Math.abs(here - before)) * stretch > 70) steep++
    }
  }
  const points = { xs: xs.subarray(0, count), ys: ys.subarray(0, count) }
  return { points, sharpness: count < fewest ? 1 : steep / count }
}

/** Returns the shades of the 2nd and 98th percentile. */
function rangeOf(data: Uint8Array): [number, number] {
  const counts = new Uint32Array(256)
  for (const shade of data) counts[shade] = (counts[shade] ?? 0) + 1
  const shadeAt = (part: number) => {
    let sum = 0
    return counts.findIndex((count) => {
      sum += count
      return sum >= part * data.length
    })
  }
  return [shadeAt(0.02), shadeAt(0.98)]
}

/** Returns the angle in radians with the highest contrast between rows with and without strokes. */
function angleOf({ xs, ys }: Points, { width, height }: Grey): number {
  let best = { contrast: -1, angle: 0 }
  const every = Math.max(1, Math.ceil(xs.length / 40_000))
  for (let degrees = -mostDegrees; degrees <= mostDegrees; degrees += step) {
    const angle = (degrees * Math.PI) / 180
    const slope = Math.tan(angle)
    const counts = new Float64Array(height + width)
    for (let i = 0; i < xs.length; i += every) {
      const row = Math.round((ys[i] ?? 0) - slope * ((xs[i] ?? 0) - width / 2)) + width / 2
      counts[row | 0] = (counts[row | 0] ?? 0) + 1
    }
    let contrast = 0
    for (let row = 1; row < counts.length; row++) contrast += ((counts[row] ?? 0) - (counts[row - 1] ?? 0)) ** 2
    if (contrast > best.contrast) best = { contrast, angle }
  }
  return best.angle
}

/** Longest run of bins with strokes in a row, from the first bin to the end (exclusive). */
interface Run {
  from: number
  to: number
}

function rowsOf({ xs, ys }: Points, { width, height }: Grey, angle: number): Run[] {
  const bins = Math.ceil(width / bin)
  const slope = Math.tan(angle)
  const marks = new Uint8Array(height * bins)
  for (let i = 0; i < xs.length; i++) {
    const x = xs[i] ?? 0
    const row = Math.round((ys[i] ?? 0) - slope * (x - width / 2))
    if (row >= 0 && row < height) marks[row * bins + Math.floor(x / bin)] = 1
  }
  return Array.from({ length: height }, (_, row) => longestRun(marks.subarray(row * bins, (row + 1) * bins)))
}

function longestRun(marks: Uint8Array): Run {
  let best: Run = { from: 0, to: 0 }
  let run: Run | undefined
  for (const [at, mark] of marks.entries()) {
    if (mark === 0) continue
    run = run && at - run.to <= gap ? { from: run.from, to: at + 1 } : { from: at, to: at + 1 }
    if (run.to - run.from > best.to - best.from) best = run
  }
  return best
}

interface Block extends Run {
  top: number
  bottom: number
  rows: number
}

/** Combines long rows whose ends are aligned. */
function blocksOf(rows: readonly Run[], { width }: Grey): Block[] {
  const least = (leastLength * width) / bin
  const apart = width / 25
  const blocks: Block[] = []
  for (const [row, { from, to }] of rows.entries()) {
    if (to - from < least) continue
    const near = blocks.findLast((block) => {
      const overlap = Math.min(block.to, to) - Math.max(block.from, from)
      return row - block.bottom <= apart && overlap > 0.6 * Math.max(block.to - block.from, to - from)
    })
    if (near) {
      near.bottom = row
      near.rows++
      near.from = Math.min(near.from, from)
      near.to = Math.max(near.to, to)
    } else blocks.push({ from, to, top: row, bottom: row, rows: 1 })
  }
  const ratioOf = ({ from, to, top, bottom }: Block) => ((to - from) * bin) / (bottom - top + 1)
  return blocks.filter((block) => ratioOf(block) < 45 && ratioOf(block) > 2)
}

function bandOf({ from, to, top, bottom, rows }: Block, { width }: Grey, angle: number, factor: number): Band {
  const length = (to - from) * bin
  const height = bottom - top + 1
  // Rotates around the middle column, like the rows.
  const [middle, row] = [((from + to) / 2) * bin, (top + bottom) / 2]
  const y = row + Math.tan(angle) * (middle - width / 2)
  // Adds one line above and below, and two characters at each end.
  const [wide, high] = [length * 1.1 + 2 * bin, height + Math.max(12, length / 12)]
  const score = length * Math.min(1, rows / (length / 20))
  const region = { x: middle * factor, y: y * factor, width: wide * factor, height: high * factor, angle }
  return { region, length: length * factor, score }
}
