import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as scheduled from '#sql/live/scheduled.ts'
import { task } from '../queue/task.ts'
import { emitScheduled } from './rules/schedule.ts'

/**
 * Sends the reminder of a scheduled broadcast, or reports that the broadcast did not start. Does nothing if the
 * broadcast was moved, deleted or has started. `minutes` is null for the report.
 */
export const announceScheduled = task({
  name: 'live/announce-scheduled',
  pool: 'core',
  payload: z.object({ scheduledId: Id, revision: z.int(), minutes: z.int().nullable() }),
  async run({ scheduledId, revision, minutes }, { db }) {
    await db.transaction(async (tx) => {
      const found = await scheduled.hold(tx, scheduledId, revision)
      if (!found) return
      if (minutes === null) return await reportMissed(tx, found.id)
      // After a stop of the workers, the reminder of a past start would be wrong.
      if (found.starts_at.getTime() <= Date.now()) return
      const reminded = await scheduled.setReminded(tx, found.id, minutes)
      if (reminded) await emitScheduled(tx, reminded, 'video.live.starting', minutes)
    })
  },
})

/** A channel that was live long before the start is not missed. */
async function reportMissed(tx: Db, id: string): Promise<void> {
  if (await scheduled.setStartedWhileLive(tx, id)) return
  await emitScheduled(tx, await scheduled.setMissed(tx, id), 'video.live.missed', null)
}
