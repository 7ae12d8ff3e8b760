import { z } from 'zod'
import { Permanent } from '#lib/errors.ts'
import { task } from '../queue/task.ts'
import { type Comparison, type FaceEngine, type ImageName, imageNames } from './engine.ts'

/** Milliseconds for which the engine's loading is waited for: on a busy machine it takes longer than who asks may wait. */
const loadMs = 8_000

/** Milliseconds that a comparison may take, from when the engine is ready. */
const compareMs = 15_000

/** Milliseconds within which there is an answer, the wait for a worker included. */
export const answerMs = loadMs + compareMs

/** What became of a comparison; `not` when there is none yet: the engine is being loaded, or has taken too long. */
export type ComparisonResult = Comparison | { not: 'loading' | 'late' }

const ImageSource = z.object({ address: z.url({ protocol: /^http$/ }), token: z.string().min(40) })

/** Who holds the pictures, and the token under which they are given out. */
type ImageSource = z.infer<typeof ImageSource>

/**
 * Compares the faces of two pictures. They are in no row: the payload says which ingress process holds them, and the token under
 * which it gives them out until it has answered or waited long enough.
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

/** Whether the engine is ready, or is in time; it goes on loading for who comes next. */
async function isReady(faces: FaceEngine): Promise<boolean> {
  const { promise: late, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(resolve, loadMs, false)
  const ready = faces.ready().then(() => true)
  return await Promise.race([ready, late]).finally(() => clearTimeout(timer))
}

async function compare(faces: FaceEngine, { address, token }: ImageSource, signal: AbortSignal): Promise<Comparison> {
  const [image_a, image_b] = await Promise.all(imageNames.map((name) => fetchImage(address, token, name, signal)))
  if (!image_a || !image_b) throw new Permanent('The images are no longer available.')
  return await faces.compare({ image_a, image_b }, signal)
}

async function fetchImage(address: string, token: string, name: ImageName, signal: AbortSignal) {
  // The fetch of an address that is our own: guards against customers' URLs would refuse it.
  const answer = await fetch(`${address}/${name}`, { headers: { authorization: `Bearer ${token}` }, signal })
  if (answer.status === 200) return new Uint8Array(await answer.arrayBuffer())
  await answer.body?.cancel()
  return null
}
