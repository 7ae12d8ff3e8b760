import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { framesPrefix } from './rules/keys.ts'

export const discardFrames = task({
  name: 'video/discard-frames',
  pool: 'core',
  payload: z.object({ assetId: Id, hour: z.int() }),
  attempts: 12,
  async run({ assetId, hour }, { storage, signal }) {
    await storage.deleteAll(`${framesPrefix(assetId)}${hour}/`, signal)
  },
})
