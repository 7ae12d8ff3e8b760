import { z } from 'zod'
import { TransientEngineError } from '#lib/engine-trouble.ts'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as facts from '#sql/files/images/facts.ts'
import * as objects from '#sql/files/objects.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { isTransformable } from './rules/images/transformable.ts'

/** Reads size and blurhash of a clean image. */
export const measureImage = task({
  name: 'files/measure-image',
  pool: 'images',
  payload: z.object({ objectId: Id }),
  tracked: true,
  attempts: 4,
  timeout: 60_000,
  async run({ objectId }, { db, images, sources, signal }): Promise<void> {
    const object = await objects.findAny(db, objectId)
    if (object?.scan_status !== 'clean' || object.held_key === null || !isTransformable(object)) return
    const known = await facts.find(db, objectId)
    if (known && (known.fault ?? known.blurhash) !== null) return
    const source = await sources.read(object.held_key, signal)
    const measured = await images.measure(source, { signal }).catch(async (error) => {
      if (isOfImage(error)) await facts.strike(db, object)
      throw error
    })
    await facts.put(db, object, 'fault' in measured ? measured : measured.facts)
  },
})

/** True if the engine took too long or crashed. The image can be the cause. */
export const isOfImage = (error: unknown): boolean =>
  error instanceof TransientEngineError && (error.code === 'timeout' || error.code === 'killed')

/** Adds the job in the transaction in which the object becomes clean. */
export async function enqueueMeasurement(
  tx: Db,
  object: Pick<objects.FileObject, 'id' | 'org_id' | 'byte_size' | 'sniffed_type'>,
): Promise<void> {
  if (!isTransformable(object)) return
  await enqueue(tx, measureImage, { objectId: object.id }, { orgId: object.org_id, subject: object.id, priority: 500 })
}
