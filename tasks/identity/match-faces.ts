import { z } from 'zod'
import { Permanent } from '#lib/errors.ts'
import { task } from '../queue/task.ts'
import { type Comparison, type ImageName, imageNames } from './face-engine.ts'

/** Milliseconds within which a comparison is answered, its wait included. */
export const matchMs = 15_000

/**
 * Compares the faces of two pictures. They are in no row: the payload says which ingress process holds them, and the token under
 * which it gives them out until it has answered or waited long enough.
 */
export const matchFaces = task({
  name: 'identity/match-faces',
  pool: 'face',
  payload: z.object({ address: z.url({ protocol: /^http$/ }), token: z.string().min(40) }),
  tracked: true,
  attempts: 1,
  timeout: matchMs,
  async run({ address, token }, { faces, signal }): Promise<Comparison> {
    const [image_a, image_b] = await Promise.all(imageNames.map((name) => fetchImage(address, token, name, signal)))
    if (!image_a || !image_b) throw new Permanent('The pictures are not held any more.')
    return await faces.compare({ image_a, image_b }, signal)
  },
})

async function fetchImage(address: string, token: string, name: ImageName, signal: AbortSignal) {
  // The fetch of an address that is our own: guards against customers' URLs would refuse it.
  const answer = await fetch(`${address}/${name}`, { headers: { authorization: `Bearer ${token}` }, signal })
  if (answer.status === 200) return new Uint8Array(await answer.arrayBuffer())
  await answer.body?.cancel()
  return null
}
