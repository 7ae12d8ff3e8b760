import type { Db } from '#sql/db.ts'
import type { Scheduled } from '#sql/live/scheduled.ts'
import { enqueue } from '../../queue/enqueue.ts'
import { announceScheduled } from '../announce-scheduled.ts'

/** Maximum number of broadcasts of a channel that are scheduled at the same time, and of reminders of each. */
export const [mostScheduled, mostReminders] = [50, 5]

const minuteMs = 60_000

/** Adds the jobs of the times of a broadcast. Reminders whose time has passed get no job. */
export async function enqueueAnnouncements(tx: Db, scheduled: Scheduled): Promise<void> {
  const { id, org_id: orgId, revision, starts_at, reminder_minutes, late_minutes } = scheduled
  const start = starts_at.getTime()
  const planned = [
    ...reminder_minutes.map((minutes) => ({ minutes, at: new Date(start - minutes * minuteMs) })),
    { minutes: null, at: new Date(start + late_minutes * minuteMs) },
  ]
  for (const { minutes, at } of planned) {
    if (minutes !== null && at.getTime() <= Date.now()) continue
    const key = `live-scheduled:${id}:${minutes ?? 'missed'}`
    await enqueue(tx, announceScheduled, { scheduledId: id, revision, minutes }, { at, key, orgId })
  }
}
