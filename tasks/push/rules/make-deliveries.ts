import { newId } from '#lib/ids.ts'
import type { Db } from '#sql/db.ts'
import * as attempts from '#sql/push/attempts.ts'
import type { Device } from '#sql/push/audience-pages.ts'
import * as daily from '#sql/push/daily.ts'
import * as deliveries from '#sql/push/deliveries.ts'
import type { Message } from '#sql/push/messages.ts'
import * as users from '#sql/push/users.ts'
import { wakeLanes, wakeLater } from '../deliver.ts'
import { getJobPriority } from './job-priority.ts'
import { getQuietHoursEnd } from './quiet-hours.ts'
import { notifyStreams } from './stream-channel.ts'

interface Made {
  device: Device
  row: deliveries.NewDelivery
  dueAt: Date | undefined
}

/**
 * Creates a message’s deliveries to devices and wakes the jobs that send them. Deliveries to streams have the status
 * `sent` immediately.
 */
export async function makeDeliveries(tx: Db, message: Message, devices: readonly Device[]): Promise<void> {
  const now = new Date()
  const planned = devices.map((device) => ({
    device,
    quiet: getQuietHoursEnd(message.quiet_hours, device.time_zone, now),
  }))
  const streamed = planned.filter(({ device, quiet }) => device.provider === 'sse' && !quiet && !message.dry_run)
  // A delivery in the stream’s table counts as sent: the ingress process with the stream reads it from there.
  const events = await users.reserveEventNumbers(
    tx,
    streamed.map(({ device }) => device.push_user_id),
  )
  const isAnyLater = planned.some(({ quiet }) => quiet)
  const all = planned.map(({ device, quiet }): Made => {
    const dueAt = quiet && dueAfter(message, quiet, now)
    const row = rowOf(message, device, {
      isQuiet: quiet !== undefined,
      now,
      event: events.get(device.push_user_id) ?? null,
    })
    return { device, dueAt, row: isAnyLater ? { ...row, due_at: (dueAt ?? now).toISOString() } : row }
  })
  const added = await deliveries.insertMany(
    tx,
    all.map(({ row }) => row),
  )
  // A device whose owner changed in the meantime is found twice.
  const made = all.filter(({ row }) => added.has(row.id))
  await attempts.insertMany(
    tx,
    made.flatMap(({ row }) => (row.attempts > 0 ? [streamAttempt(row)] : [])),
  )
  await wake(tx, message, made, now)
  await tell(tx, message, made, now)
}

/**
 * Returns the time at which a delivery that waits for the end of quiet hours is due, at the message’s rate. If the
 * message expires before this time, the delivery is due immediately, so that it ends.
 */
function dueAfter({ rate, send_at, expires_at }: Message, end: Date, now: Date): Date | undefined {
  const spread = rate === null ? 0 : Math.max(0, now.getTime() - send_at.getTime())
  return end < expires_at ? new Date(end.getTime() + spread) : undefined
}

function rowOf(
  message: Message,
  { id: installation_id, push_user_id, provider, environment, platform }: Device,
  { isQuiet, now, event }: { isQuiet: boolean; now: Date; event: number | null },
): deliveries.NewDelivery {
  const { id: message_id, org_id, app_id, dry_run } = message
  const to = { installation_id, push_user_id, provider, environment, platform }
  const of = { id: newId(), org_id, app_id, message_id, ...to, event: null, sent_at: null, attempts: 0, reason: null }
  if (isQuiet) return { ...of, status: 'queued', reason: 'quiet_hours' }
  if (provider !== 'sse') return { ...of, status: 'queued' }
  const sent = { ...of, status: 'sent', sent_at: now.toISOString() } as const
  return dry_run ? { ...sent, reason: 'dry_run' } : { ...sent, event, attempts: 1 }
}

/** Returns the only attempt of a stream. Its event is stored where the process with the stream reads it. */
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

/** Wakes providers for due deliveries, and wakes providers and streams for later deliveries. */
async function wake(tx: Db, { app_id, org_id, priority }: Message, made: readonly Made[], now: Date): Promise<void> {
  const queued = made.filter(({ row }) => row.status === 'queued')
  const byLane = Map.groupBy(queued, ({ device: { provider, environment } }) => `${provider} ${environment}`)
  const lanes = [...byLane.values()].map((of) => {
    const { provider, environment } = (of[0] as Made).device
    const later = of.flatMap(({ dueAt }) => (dueAt ? [(dueAt.getTime() - now.getTime()) / 1_000] : []))
    return { lane: { app_id, org_id, provider, environment }, deliveries: of.length - later.length, later }
  })
  await wakeLanes(
    tx,
    lanes.map(({ lane, deliveries }) => ({ lane, deliveries, priority: getJobPriority(priority) })),
  )
  for (const { lane, later } of lanes) if (later.length > 0) await wakeLater(tx, lane, later)
}

/** Counts deliveries in streams, and notifies the processes that hold the streams. */
async function tell(tx: Db, { dry_run }: Message, made: readonly Made[], now: Date): Promise<void> {
  if (dry_run) return
  const sent = made.filter(({ row }) => row.status === 'sent')
  await daily.count(
    tx,
    sent.map(({ row: { org_id, app_id, provider, platform } }) => ({
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
    sent.map(({ device }) => device.id),
  )
}
