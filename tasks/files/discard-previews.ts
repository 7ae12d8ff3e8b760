import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { task } from '../queue/task.ts'
import { previewsPrefix } from './rules/keys.ts'

/** Deletes the previews of an object that were made in an hour that is over. */
export const discardPreviews = task({
  name: 'files/discard-previews',
  pool: 'core',
  payload: z.object({ objectId: Id, hour: z.int() }),
  attempts: 12,
  async run({ objectId, hour }, { storage, signal }) {
    await storage.deleteAll(`${previewsPrefix(objectId)}${hour}/`, signal)
  },
})
