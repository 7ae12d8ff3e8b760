import { type DescribedFace, type Detection, describeFace, findFaces } from './model.ts'
import { copySmaller, ImageRefusalError, type Part, readPixels, readSize } from './pixels.ts'

/** Area of a second portrait as a share of the largest. Below it, the second is a ghost image of the document. */
const second = { confidence: 0.5, area: 0.5 }

/** Length of the side of a tile as a share of the image. Neighbouring tiles overlap, so that one contains the face. */
const tile = 0.6

/** Width that is added on each side of the face before it is described, as a share of its size. */
const around = 0.4

/**
 * Length in pixels of the longer side of the copy that is searched. Without a copy, an image without a face is decoded
 * eight times, and other comparisons wait.
 */
const longestSide = 3_000

/** Finds and describes the portrait on the image of a document. Its lengths are in pixels of a copy. Throws `Refused`. */
export async function describePortrait(image: Uint8Array): Promise<DescribedFace> {
  const copy = await copySmaller(image, longestSide)
  try {
    return await describeIn(copy)
  } finally {
    if (copy !== image) copy.fill(0)
  }
}

/**
 * Finds the portrait and describes it from a cut of the image. The detector misses faces that are narrower than a tenth
 * of its input, so tiles follow.
 */
async function describeIn(image: Uint8Array): Promise<DescribedFace> {
  const size = await readSize(image)
  for (const part of [undefined, ...tilesOf(size)]) {
    const found = await findFaces(await readPixels(image, part && { part }))
    if (found[0]) {
      refuseSeveral(found)
      return await describePart(image, partOf(found[0], part, size), part)
    }
  }
  for (const degrees of [90, 270, 180] as const) {
    const [face] = await findFaces(await readPixels(image, { degrees }))
    if (face) return await describeFace(await readPixels(image, { degrees }))
  }
  throw new ImageRefusalError('no_face_detected', 'shows no portrait.')
}

function refuseSeveral([largest, ...others]: readonly Detection[]): void {
  const areaOf = ({ box }: Detection) => box.width * box.height
  const least = second.area * (largest ? areaOf(largest) : 0)
  if (others.some((other) => other.score >= second.confidence && areaOf(other) >= least))
    throw new ImageRefusalError('multiple_faces', 'shows several portraits.')
}

/** Describes the cut. If the detector misses the face in the cut, describes the part in which it was found. */
async function describePart(image: Uint8Array, cut: Part, found: Part | undefined): Promise<DescribedFace> {
  try {
    return await describeFace(await readPixels(image, { part: cut }))
  } catch (error) {
    if (!(error instanceof ImageRefusalError) || error.code !== 'no_face_detected') throw error
    return await describeFace(await readPixels(image, found && { part: found }))
  }
}

function tilesOf({ width, height }: { width: number; height: number }): Part[] {
  const [w, h] = [Math.round(width * tile), Math.round(height * tile)]
  const [right, bottom] = [width - w, height - h]
  return [
    { left: 0, top: 0, width: w, height: h },
    { left: 0, top: bottom, width: w, height: h },
    { left: right, top: 0, width: w, height: h },
    { left: right, top: bottom, width: w, height: h },
  ]
}

function partOf({ box }: Detection, within: Part | undefined, size: { width: number; height: number }): Part {
  const [x, y] = [box.x + (within?.left ?? 0), box.y + (within?.top ?? 0)]
  const left = clamp(x - around * box.width, size.width - 1)
  const top = clamp(y - around * box.height, size.height - 1)
  const right = clamp(x + (1 + around) * box.width, size.width)
  const bottom = clamp(y + (1 + around) * box.height, size.height)
  return { left, top, width: Math.max(1, right - left), height: Math.max(1, bottom - top) }
}

const clamp = (at: number, most: number) => Math.round(Math.min(most, Math.max(0, at)))
