import { z } from 'zod'
import { Id } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import { type Device, type DevicePage, listNextDevices } from '#sql/push/audience-pages.ts'
import * as messages from '#sql/push/messages.ts'
import * as users from '#sql/push/users.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { getJobPriority } from './rules/job-priority.ts'
import { makeDeliveries } from './rules/make-deliveries.ts'

/** Number of devices per page. One page is one transaction. */
const pageSize = 1_000

/** Number of pages per job. Then other jobs run. */
const pagesPerJob = 10

/** Maximum delay in milliseconds that a message with a rate can catch up: the time until a job is found. */
const catchUpMs = 4_000

/**
 * Creates a message’s deliveries, page by page of its devices. A page and the cursor after it are one transaction, and
 * the last page of a job also creates the next job. A repeated job therefore continues after the completed pages.
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

/**
 * Creates the deliveries of the next page, and the next job if this job must stop. Returns true if this job is done.
 */
async function expandPage(tx: Db, messageId: string, isLast: boolean): Promise<boolean> {
  const found = await messages.lockUnexpanded(tx, messageId)
  if (!found) return true
  const now = Date.now()
  // The job ran twice or too early.
  if (found.paced_at && found.paced_at.getTime() > now) return await goOn(tx, found, found.paced_at)
  const message = { ...found, push_user_id: await personOf(tx, found) }
  const page = await listNextDevices(tx, message, Math.min(pageSize, message.rate ?? pageSize))
  await makeDeliveries(tx, message, page.devices)
  const paced_at = pacedAt(message, page, now)
  const { person: cursor_user, device: cursor } = page.place
  const { push_user_id } = message
  await messages.saveProgress(tx, messageId, { push_user_id, cursor_user, cursor, expanded: page.isLast, paced_at })
  if (page.isLast) await messages.endMany(tx, [messageId])
  else if (paced_at && paced_at.getTime() > now) return await goOn(tx, message, paced_at)
  else if (isLast) return await goOn(tx, message)
  return page.isLast
}

/** Enqueues the next job, immediately or at a time. A message has only one pending job. */
async function goOn(tx: Db, { id, org_id, priority }: messages.Message, at?: Date): Promise<true> {
  const waits = at ? { at, key: `push:expand:${id}` } : {}
  await enqueue(tx, expand, { messageId: id }, { orgId: org_id, priority: getJobPriority(priority), ...waits })
  return true
}

async function personOf(tx: Db, message: messages.Message): Promise<string | null> {
  const { push_user_id, user_id, app_id } = message
  if (push_user_id !== null || user_id === null) return push_user_id
  return (await users.findOne(tx, app_id, user_id))?.id ?? null
}

/** Returns the time until which a message with a rate creates no more deliveries. Small delays are caught up. */
function pacedAt({ rate, paced_at }: messages.Message, { devices }: DevicePage, now: number): Date | undefined {
  if (rate === null) return undefined
  const from = Math.max(paced_at?.getTime() ?? now, now - catchUpMs)
  return new Date(from + (devices.length * 1_000) / rate)
}

/** Creates a message’s delivery to one device only. The job that finds devices then has nothing to do. */
export async function expandTo(tx: Db, messageId: string, device: Device): Promise<void> {
  const message = await messages.lockUnexpanded(tx, messageId)
  if (!message?.push_user_id) return
  await makeDeliveries(tx, message, [device])
  const { push_user_id } = message
  await messages.saveProgress(tx, messageId, { push_user_id, cursor_user: null, cursor: device.id, expanded: true })
  await messages.endMany(tx, [messageId])
}
