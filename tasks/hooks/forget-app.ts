import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { deleteOfApp } from '#sql/hooks/messages.ts'
import { task } from '../queue/task.ts'

const batch = 1_000

/** Deletes the messages of a deleted app in batches. */
export const forgetApp = task({
  name: 'hooks/forget-app',
  pool: 'core',
  payload: z.object({ appId: Id }),
  async run({ appId }, { db, signal }) {
    for (;;) {
      signal.throwIfAborted()
      if ((await deleteOfApp(db, appId, batch)) < batch) return
    }
  },
})
