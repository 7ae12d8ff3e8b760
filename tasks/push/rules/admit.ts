import type { Db } from '#sql/db.ts'
import type { ClaimedDelivery } from '#sql/push/deliveries.ts'
import * as installations from '#sql/push/installations.ts'
import * as messages from '#sql/push/messages.ts'
import * as subscriptions from '#sql/push/subscriptions.ts'
import type { TagRule } from '#sql/push/targets.ts'
import { getQuietHoursEnd } from './quiet-hours.ts'

/**
 * Tolerance for a late first attempt in seconds, so that a message with a `ttl` of 0 is sent once even if it was queued
 * briefly.
 */
export const lateSeconds = 60

/** A delivery to send, with its data. */
export interface AdmittedDelivery {
  delivery: ClaimedDelivery
  message: messages.SendableMessage
  device: installations.Reached
}

/** A delivery that has ended without an attempt, or continues to wait. */
export interface EndedDelivery {
  delivery: ClaimedDelivery
  message?: messages.SendableMessage | undefined
  /** Customer’s ID of the user. */
  userId?: string | null | undefined
  status: 'queued' | 'sent' | 'failed' | 'expired' | 'cancelled'
  reason: string
  /** Delay in seconds until a waiting delivery is due. */
  delay?: number | undefined
}

type End = Pick<EndedDelivery, 'status' | 'reason' | 'delay'>

export async function admitDeliveries(
  db: Db,
  claimed: readonly ClaimedDelivery[],
): Promise<{ admitted: AdmittedDelivery[]; ended: EndedDelivery[] }> {
  const [found, devices] = [
    await messages.findSendable(
      db,
      claimed.map(({ message_id }) => message_id),
    ),
    await installations.findMany(
      db,
      claimed.map(({ installation_id }) => installation_id),
    ),
  ]
  const now = new Date()
  const admitted: AdmittedDelivery[] = []
  const ended: EndedDelivery[] = []
  for (const delivery of claimed) {
    const message = found.get(delivery.message_id)
    const device = devices.get(delivery.installation_id)
    const end = endOf(delivery, message, device, now)
    if (!end && message && device) admitted.push({ delivery, message, device })
    else if (end) ended.push({ delivery, message, userId: device?.user_id, ...end })
  }
  const gone = await unsubscribed(db, admitted)
  return {
    admitted: admitted.filter((one) => !gone.has(one)),
    ended: [
      ...ended,
      ...[...gone].map(({ delivery, message, device }): EndedDelivery => {
        return { delivery, message, userId: device.user_id, status: 'cancelled', reason: 'unsubscribed' }
      }),
    ],
  }
}

/** Returns deliveries of users who unsubscribed from the topic after the message’s devices were found. */
async function unsubscribed(db: Db, admitted: readonly AdmittedDelivery[]): Promise<ReadonlySet<AdmittedDelivery>> {
  const ofTopics = admitted.filter(({ message }) => message.target === 'topic')
  const still = await subscriptions.findSubscribed(
    db,
    ofTopics.map(({ message: { app_id, audience }, device: { id, push_user_id } }) => ({
      app_id,
      topic: audience?.topic ?? '',
      push_user_id,
      installation_id: id,
    })),
  )
  return new Set(ofTopics.filter((_, n) => !still.has(n)))
}

/** Returns why a delivery is not sent: its final status, or what it waits for. Undefined if the delivery is sent. */
function endOf(
  delivery: ClaimedDelivery,
  message: messages.SendableMessage | undefined,
  device: installations.Reached | undefined,
  now: Date,
): End | undefined {
  if (!message) return { status: 'failed', reason: 'message_removed' }
  if (message.status === 'cancelled') return { status: 'cancelled', reason: 'cancelled' }
  if (!device) return { status: 'failed', reason: 'installation_removed' }
  return (
    strangeness(delivery, message, device) ?? lateness(delivery, message, device, now) ?? dryness(delivery, message)
  )
}

/** Returns why a device is no longer a recipient. */
function strangeness(
  delivery: ClaimedDelivery,
  { target, audience }: messages.SendableMessage,
  device: installations.Reached,
): End | undefined {
  // A new owner of a device must not receive a message for the previous owner. Messages to a topic or to all are for
  // the device.
  const isPersonal = target === 'user' || target === 'users'
  if (isPersonal && device.push_user_id !== delivery.push_user_id) {
    return { status: 'failed', reason: 'installation_moved' }
  }
  if (device.status === 'invalidated') return { status: 'failed', reason: 'installation_invalidated' }
  const hasLeft = audience?.tags && !fits(audience.tags, device.tags)
  return hasLeft ? { status: 'cancelled', reason: 'left_segment' } : undefined
}

/** Returns why a delivery is too late or in quiet hours. */
function lateness(
  { attempts }: ClaimedDelivery,
  { expires_at, quiet_hours }: messages.SendableMessage,
  { time_zone, user_time_zone }: installations.Reached,
  now: Date,
): End | undefined {
  const late = attempts > 0 ? 0 : lateSeconds * 1000
  if (now.getTime() > expires_at.getTime() + late) return { status: 'expired', reason: 'ttl' }
  const quiet = getQuietHoursEnd(quiet_hours, time_zone ?? user_time_zone, now)
  if (!quiet) return undefined
  if (quiet >= expires_at) return { status: 'expired', reason: 'quiet_hours' }
  return { status: 'queued', reason: 'quiet_hours', delay: (quiet.getTime() - now.getTime()) / 1_000 }
}

/** Returns a final status for dry runs. Only FCM can check a message without delivering it. */
const dryness = ({ provider }: ClaimedDelivery, { dry_run }: messages.SendableMessage): End | undefined =>
  dry_run && provider !== 'fcm' ? { status: 'sent', reason: 'dry_run' } : undefined

/** True if a device’s tags match a segment. */
const fits = ({ all, any, none }: TagRule, tags: readonly string[]): boolean =>
  all.every((tag) => tags.includes(tag)) &&
  !none.some((tag) => tags.includes(tag)) &&
  (any.length === 0 || any.some((tag) => tags.includes(tag)))
