import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { previewsPrefix } from './rules/keys.ts'

export const discardPreviews = task({
  name: 'files/discard-previews',
  pool: 'core',
  payload: z.object({ objectId: Id, hour: z.int() }),
  attempts: 12,
  async run({ objectId, hour }, { storage, signal }) {
    await storage.deleteAll(`${previewsPrefix(objectId)}${hour}/`, signal)
  },
})
