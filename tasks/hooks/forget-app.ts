import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import { remove } from '#sql/hooks/apps.ts'
import * as eventIds from '#sql/hooks/event-ids.ts'
import * as messages from '#sql/hooks/messages.ts'
import { task } from '../queue/task.ts'

const batch = 1_000

/** Deletes a deleted app. Its messages and their deliveries are deleted before, in batches. */
export const forgetApp = task({
  name: 'hooks/forget-app',
  pool: 'core',
  payload: z.object({ appId: Id }),
  async run({ appId }, { db, signal }) {
    for (const { deleteOfApp } of [messages, eventIds])
      do signal.throwIfAborted()
      while ((await deleteOfApp(db, appId, batch)) === batch)
    await remove(db, appId)
  },
})
