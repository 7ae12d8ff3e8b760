import type { Examination, ExaminedImages } from '#tasks/identity/engine.ts'
import { type DescribedFace, describeFace, distanceOf, model } from './model.ts'
import { ImageRefusalError, maxFramePixels, readPixels } from './pixels.ts'
import { describePortrait } from './portrait.ts'

type Result = { described: DescribedFace } | { refused: ImageRefusalError }

/** Compares the portrait of a document with each frame, and each frame with the first one. */
export async function examineFaces({ document, frames }: ExaminedImages): Promise<Examination> {
  const portrait = await refusable(() => describePortrait(document))
  const seen: Result[] = []
  for (const frame of frames)
    seen.push(await refusable(async () => describeFace(await readPixels(frame, { most: maxFramePixels }))))
  const refusals = [portrait, ...seen].flatMap((found, i) =>
    'refused' in found
      ? [{ frame: i === 0 ? null : i - 1, code: found.refused.code, message: found.refused.message }]
      : [],
  )
  const faces = seen.flatMap((found) => ('described' in found ? [found.described] : []))
  const [first] = faces
  try {
    if (refusals.length > 0 || 'refused' in portrait || !first) return { refusals }
    return {
      document: portrait.described.face,
      frames: faces.map((one) => ({
        yaw: one.yaw,
        toFirst: distanceOf(one, first),
        toDocument: distanceOf(one, portrait.described),
        face: one.face,
      })),
      model,
    }
  } finally {
    for (const { descriptor } of faces) descriptor.fill(0)
    if ('described' in portrait) portrait.described.descriptor.fill(0)
  }
}

async function refusable(describe: () => Promise<DescribedFace>): Promise<Result> {
  try {
    return { described: await describe() }
  } catch (error) {
    if (error instanceof ImageRefusalError) return { refused: error }
    throw error
  }
}
