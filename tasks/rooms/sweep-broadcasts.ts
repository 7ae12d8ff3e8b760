import { z } from 'zod'
import * as broadcasts from '#sql/rooms/broadcasts.ts'
import * as recordings from '#sql/rooms/recordings.ts'
import { task } from '../queue/task.ts'
import { closeRecording } from './rules/close-recording.ts'

/** Time in seconds in which the worker of an ended room may still store the rest of its recording. */
const restSeconds = 90

/** Ends broadcasts and recordings of rooms that ended without a worker. Recordings become assets. */
export const sweepBroadcasts = task({
  name: 'rooms/sweep-broadcasts',
  pool: 'core',
  payload: z.object({}),
  cron: '* * * * *',
  async run(_, { db }) {
    await broadcasts.endAbandoned(db, restSeconds)
    const left = await recordings.listAbandoned(db, restSeconds)
    for (const id of left) await db.transaction((tx) => closeRecording(tx, id))
  },
})
