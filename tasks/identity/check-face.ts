import { z } from 'zod'
import { Permanent } from '#lib/errors.ts'
import { Id } from '#lib/ids.ts'
import * as objects from '#sql/files/objects.ts'
import { task } from '../queue/task.ts'
import { type Examination, mostFrames } from './engine.ts'
import { fetchImage, isReady, loadMs } from './rules/held-images.ts'

/** Timeout of an examination of five frames in milliseconds. On a free core, it takes three seconds. */
const examineMs = 30_000

export const checkFaceMs = loadMs + examineMs

export type CheckFaceResult = Examination | { not: 'loading' | 'late' | 'no_document' }

/**
 * Compares the photo on a stored document with frames. The frames are not in the database: the payload names the ingress
 * process that has them and the token to fetch them.
 */
export const checkFace = task({
  name: 'identity/check-face',
  pool: 'identity',
  payload: z.object({
    address: z.url({ protocol: /^http$/ }),
    token: z.string().min(40),
    objectId: Id,
    frames: z.int().min(1).max(mostFrames),
  }),
  tracked: true,
  attempts: 1,
  timeout: checkFaceMs + 1_000,
  async run({ address, token, objectId, frames: count }, { db, faces, storage, signal }): Promise<CheckFaceResult> {
    if (!(await isReady(faces))) return { not: 'loading' }
    const inTime = AbortSignal.timeout(examineMs)
    const either = AbortSignal.any([signal, inTime])
    try {
      const object = await objects.findAny(db, objectId)
      if (object?.scan_status !== 'clean' || object.held_key === null) return { not: 'no_document' }
      const document = new Uint8Array(await storage.readWhole(object.held_key, either))
      const names = Array.from({ length: count }, (_, i) => `frame_${i}`)
      const frames = await Promise.all(names.map((name) => fetchImage(address, token, name, either)))
      const held = frames.filter((frame) => frame !== null)
      if (held.length < count) throw new Permanent('The frames are no longer available.')
      return await faces.examine({ document, frames: held }, either)
    } catch (error) {
      if (inTime.aborted && !signal.aborted) return { not: 'late' }
      throw error
    }
  },
})
