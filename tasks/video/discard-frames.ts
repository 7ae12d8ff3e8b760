import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { framesPrefix } from './rules/keys.ts'

/** Deletes the frames of an asset that were taken in an hour that is over. */
export const discardFrames = task({
  name: 'video/discard-frames',
  pool: 'core',
  payload: z.object({ assetId: Id, hour: z.int() }),
  attempts: 12,
  async run({ assetId, hour }, { storage, signal }) {
    await storage.deleteAll(`${framesPrefix(assetId)}${hour}/`, signal)
  },
})
