import { z } from 'zod'
import { Permanent } from '#lib/errors.ts'
import { task } from '../queue/task.ts'
import { type Comparison, type FaceEngine, imageNames } from './engine.ts'
import { fetchImage, isReady, loadMs } from './rules/held-images.ts'

const compareMs = 15_000

export const answerMs = loadMs + compareMs

/** Result of a comparison. `not` if no result exists: the engine is still loading, or was too slow. */
export type ComparisonResult = Comparison | { not: 'loading' | 'late' }

const ImageSource = z.object({ address: z.url({ protocol: /^http$/ }), token: z.string().min(40) })

type ImageSource = z.infer<typeof ImageSource>

/**
 * Compares the faces of two images. The images are not in the database: the payload names the ingress process that has
 * them and the token to fetch them. The process keeps the images until it has responded or the wait ends.
 */
export const matchFaces = task({
  name: 'identity/match-faces',
  pool: 'identity',
  payload: ImageSource,
  tracked: true,
  attempts: 1,
  timeout: answerMs + 1_000,
  async run({ address, token }, { faces, signal }): Promise<ComparisonResult> {
    if (!(await isReady(faces))) return { not: 'loading' }
    const inTime = AbortSignal.timeout(compareMs)
    try {
      return await compare(faces, { address, token }, AbortSignal.any([signal, inTime]))
    } catch (error) {
      if (inTime.aborted && !signal.aborted) return { not: 'late' }
      throw error
    }
  },
})

async function compare(faces: FaceEngine, { address, token }: ImageSource, signal: AbortSignal): Promise<Comparison> {
  const [image_a, image_b] = await Promise.all(imageNames.map((name) => fetchImage(address, token, name, signal)))
  if (!image_a || !image_b) throw new Permanent('The images are no longer available.')
  return await faces.compare({ image_a, image_b }, signal)
}
