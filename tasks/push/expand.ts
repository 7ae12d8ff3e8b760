import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { type Device, type DevicePage, nextDevices } from '#sql/push/audience-pages.ts'
import * as messages from '#sql/push/messages.ts'
import * as users from '#sql/push/users.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { jobPriority } from './rules/job-priority.ts'
import { makeDeliveries } from './rules/make-deliveries.ts'

/** Devices that one job makes deliveries for. */
const pageSize = 1_000

/** Pages of one job, after which others have their turn. */
const pagesPerJob = 10

/** Milliseconds by which a message with a rate may be behind it and catch up: as long as a job waits to be found. */
const catchUpMs = 4_000

/**
 * Makes a message's deliveries, page by page of the devices that it goes to. A page and the cursor behind it are one transaction,
 * with the next job in a job's last one, so that a job that is run again goes on behind what is done.
 */
export const expand = task({
  name: 'push/expand',
  pool: 'push',
  payload: z.object({ messageId: Id }),
  async run({ messageId }, { db, signal }) {
    for (let left = pagesPerJob; left > 0; left--) {
      signal.throwIfAborted()
      if (await db.transaction((tx) => expandPage(tx, messageId, left === 1))) return
    }
  },
})

/** Makes the deliveries of the next page, and the next job when the rest is not this job's; returns whether it is done. */
async function expandPage(tx: Db, messageId: string, isLast: boolean): Promise<boolean> {
  const found = await messages.lockUnexpanded(tx, messageId)
  if (!found) return true
  const now = Date.now()
  // Somebody has this job twice, or it has come early.
  if (found.paced_at && found.paced_at.getTime() > now) return await goOn(tx, found, found.paced_at)
  const message = { ...found, push_user_id: await personOf(tx, found) }
  const page = await nextDevices(tx, message, Math.min(pageSize, message.rate ?? pageSize))
  await makeDeliveries(tx, message, page.devices)
  const paced_at = pacedAt(message, page, now)
  const { person: cursor_user, device: cursor } = page.place
  const { push_user_id } = message
  await messages.advance(tx, messageId, { push_user_id, cursor_user, cursor, expanded: page.isLast, paced_at })
  if (page.isLast) await messages.endMany(tx, [messageId])
  else if (paced_at && paced_at.getTime() > now) return await goOn(tx, message, paced_at)
  else if (isLast) return await goOn(tx, message)
  return page.isLast
}

/** Has another job go on, at once or at an instant; one of a message waits for it, however many have come here. */
async function goOn(tx: Db, { id, org_id, priority }: messages.Message, at?: Date): Promise<true> {
  const waits = at ? { at, key: `push:expand:${id}` } : {}
  await enqueue(tx, expand, { messageId: id }, { orgId: org_id, priority: jobPriority(priority), ...waits })
  return true
}

/** The person whom a message to one person goes to, who may have been registered since it was accepted. */
async function personOf(tx: Db, message: messages.Message): Promise<string | null> {
  const { push_user_id, user_id, app_id } = message
  if (push_user_id !== null || user_id === null) return push_user_id
  return (await users.findOne(tx, app_id, user_id))?.id ?? null
}

/** Before when no further deliveries of a message with a rate are made: what it is behind by a little it catches up with. */
function pacedAt({ rate, paced_at }: messages.Message, { devices }: DevicePage, now: number): Date | undefined {
  if (rate === null) return undefined
  const from = Math.max(paced_at?.getTime() ?? now, now - catchUpMs)
  return new Date(from + (devices.length * 1_000) / rate)
}

/** Makes a message's delivery to one device of its person and no other: the job that finds the devices has nothing left to do. */
export async function expandTo(tx: Db, messageId: string, device: Device): Promise<void> {
  const message = await messages.lockUnexpanded(tx, messageId)
  if (!message?.push_user_id) return
  await makeDeliveries(tx, message, [device])
  const { push_user_id } = message
  await messages.advance(tx, messageId, { push_user_id, cursor_user: null, cursor: device.id, expanded: true })
  await messages.endMany(tx, [messageId])
}
