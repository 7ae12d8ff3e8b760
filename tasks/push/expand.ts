import { z } from 'zod'
import { Id, newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as attempts from '#sql/push/attempts.ts'
import * as daily from '#sql/push/daily.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import * as installations from '#sql/push/installations.ts'
import * as messages from '#sql/push/messages.ts'
import * as users from '#sql/push/users.ts'
import { enqueue } from '../queue/enqueue.ts'
import { task } from '../queue/task.ts'
import { wakeLanes } from './deliver.ts'
import { notifyStreams } from './rules/stream-channel.ts'

/** Devices that one job makes deliveries for. */
const pageSize = 1_000

/** How urgent a message's jobs are among the organisation's own: 0 is first. */
export const jobPriority = (priority: number): number => (10 - priority) * 10

/** Pages of one job, after which others have their turn. */
const pagesPerJob = 10

/**
 * Makes a message's deliveries, page by page of the person's devices. A page and the cursor behind it are one transaction, with
 * the next job in a job's last one, so that a job that is run again goes on behind what is done.
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

/** Makes the deliveries of the next page, and the next job when this is a job's last page; returns whether it is the message's last. */
async function expandPage(tx: Db, messageId: string, isLast: boolean): Promise<boolean> {
  const message = await messages.lockUnexpanded(tx, messageId)
  if (!message) return true
  const pushUserId = message.push_user_id ?? (await users.findOne(tx, message.app_id, message.user_id))?.id ?? null
  const devices = pushUserId === null ? [] : await installations.page(tx, pushUserId, message.cursor, pageSize)
  const expanded = devices.length < pageSize
  const cursor = devices.at(-1)?.id ?? null
  if (pushUserId !== null) await makeDeliveries(tx, { ...message, push_user_id: pushUserId }, devices)
  await messages.advance(tx, messageId, { pushUserId, cursor, expanded })
  if (expanded) await messages.endMany(tx, [messageId])
  else if (isLast) {
    await enqueue(tx, expand, { messageId }, { orgId: message.org_id, priority: jobPriority(message.priority) })
  }
  return expanded
}

/** Makes a message's delivery to one device of its person and no other: the job that finds the devices has nothing left to do. */
export async function expandTo(tx: Db, messageId: string, device: installations.Device): Promise<void> {
  const message = await messages.lockUnexpanded(tx, messageId)
  if (!message?.push_user_id) return
  const { push_user_id } = message
  await makeDeliveries(tx, { ...message, push_user_id }, [device])
  await messages.advance(tx, messageId, { pushUserId: push_user_id, cursor: device.id, expanded: true })
  await messages.endMany(tx, [messageId])
}

async function makeDeliveries(
  tx: Db,
  message: messages.Message & { push_user_id: string },
  devices: readonly installations.Device[],
): Promise<void> {
  const { id: message_id, org_id, app_id, push_user_id, dry_run } = message
  const streams = devices.filter(({ provider }) => provider === 'sse')
  // What is in the stream's table is sent: the ingress that holds the stream reads it from there.
  const event = streams.length > 0 && !dry_run ? await users.nextEvent(tx, push_user_id) : null
  const now = new Date()
  const made = devices.map((device): deliveries.NewDelivery => {
    const isStream = device.provider === 'sse'
    const { id: installation_id, provider, environment, platform } = device
    const to = { installation_id, push_user_id, provider, environment, platform }
    const of = { event, sent_at: now.toISOString(), attempts: dry_run ? 0 : 1 }
    const sent = { status: 'sent', ...of, reason: dry_run ? 'dry_run' : null } as const
    const queued = { status: 'queued', event: null, sent_at: null, attempts: 0, reason: null } as const
    return { id: newId(), org_id, app_id, message_id, ...to, ...(isStream ? sent : queued) }
  })
  await deliveries.insertMany(tx, made)
  await attempts.insertMany(
    tx,
    made.flatMap((one) => (one.attempts > 0 ? [streamAttempt(one)] : [])),
  )
  await wakeLanes(tx, lanesOf(message, devices))
  if (event === null) return
  await daily.count(
    tx,
    streams.map(({ provider, platform }) => ({
      org_id,
      app_id,
      created_at: now,
      provider,
      platform,
      status: 'sent' as const,
    })),
  )
  await notifyStreams(
    tx,
    streams.map(({ id }) => id),
  )
}

/** A stream's one attempt: its event stands where whoever holds the stream reads it. */
const streamAttempt = ({ id, org_id, message_id }: deliveries.NewDelivery): Omit<attempts.Attempt, 'created_at'> => ({
  id: newId(),
  org_id,
  message_id,
  delivery_id: id,
  number: 1,
  outcome: 'sent',
  reason: null,
  error: null,
  provider_status: null,
  retry_after_seconds: null,
  provider_message_id: null,
  latency_ms: null,
})

/** What the devices' providers are to be woken for. */
function lanesOf({ app_id, org_id, priority }: messages.Message, devices: readonly installations.Device[]) {
  const lanes = new Map<string, Parameters<typeof wakeLanes>[1][number]>()
  for (const { provider, environment } of devices) {
    if (provider === 'sse') continue
    const name = `${provider} ${environment}`
    const lane = { app_id, org_id, provider, environment }
    const before = lanes.get(name)
    lanes.set(name, { lane, deliveries: (before?.deliveries ?? 0) + 1, priority: jobPriority(priority) })
  }
  return [...lanes.values()]
}
