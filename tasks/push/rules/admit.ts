import type { Db } from '#sql/db.ts'
import type { ClaimedDelivery } from '#sql/push/deliveries.ts'
import * as installations from '#sql/push/installations.ts'
import * as messages from '#sql/push/messages.ts'
import * as subscriptions from '#sql/push/subscriptions.ts'
import type { TagRule } from '#sql/push/targets.ts'
import { quietUntil } from './quiet-hours.ts'

/** Seconds by which a first attempt may be late: a message with a `ttl` of 0 is given to its provider once, however short the queue. */
export const lateSeconds = 60

/** A delivery that is to be sent, with what it is made of. */
export interface AdmittedDelivery {
  delivery: ClaimedDelivery
  message: messages.SendableMessage
  device: installations.Reached
}

/** A delivery that has ended without an attempt, or waits on. */
export interface EndedDelivery {
  delivery: ClaimedDelivery
  message?: messages.SendableMessage | undefined
  /** The customer's id of whose it is. */
  userId?: string | null | undefined
  status: 'queued' | 'sent' | 'failed' | 'expired' | 'cancelled'
  reason: string
  /** Seconds until one that waits on is due. */
  delay?: number | undefined
}

type End = Pick<EndedDelivery, 'status' | 'reason' | 'delay'>

/** Which of the claimed deliveries are to be sent now, as things stand: a message may have been cancelled, a person have left its topic. */
export async function admit(
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

/** Those who were subscribed to a topic as its message's devices were found, and are no more. */
async function unsubscribed(db: Db, admitted: readonly AdmittedDelivery[]): Promise<ReadonlySet<AdmittedDelivery>> {
  const ofTopics = admitted.filter(({ message }) => message.target === 'topic')
  const still = await subscriptions.placesOfSubscribed(
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

/** How a delivery ends, or what it waits for, that is not to be sent; undefined for one that is. */
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

/** Whether a device is not meant any more. */
function strangeness(
  delivery: ClaimedDelivery,
  { target, audience }: messages.SendableMessage,
  device: installations.Reached,
): End | undefined {
  // Its next owner is not to read what was meant for the last one; a message to a topic or to all is meant for the device.
  const isPersonal = target === 'user' || target === 'users'
  if (isPersonal && device.push_user_id !== delivery.push_user_id) {
    return { status: 'failed', reason: 'installation_moved' }
  }
  if (device.status === 'invalidated') return { status: 'failed', reason: 'installation_invalidated' }
  const hasLeft = audience?.tags && !fits(audience.tags, device.tags)
  return hasLeft ? { status: 'cancelled', reason: 'left_segment' } : undefined
}

/** Whether it is too late, or the wrong hour. */
function lateness(
  { attempts }: ClaimedDelivery,
  { expires_at, quiet_hours }: messages.SendableMessage,
  { time_zone, user_time_zone }: installations.Reached,
  now: Date,
): End | undefined {
  const late = attempts > 0 ? 0 : lateSeconds * 1000
  if (now.getTime() > expires_at.getTime() + late) return { status: 'expired', reason: 'ttl' }
  const quiet = quietUntil(quiet_hours, time_zone ?? user_time_zone, now)
  if (!quiet) return undefined
  if (quiet >= expires_at) return { status: 'expired', reason: 'quiet_hours' }
  return { status: 'queued', reason: 'quiet_hours', delay: (quiet.getTime() - now.getTime()) / 1_000 }
}

/** Whether it is merely checked: only FCM can do that without delivering it. */
const dryness = ({ provider }: ClaimedDelivery, { dry_run }: messages.SendableMessage): End | undefined =>
  dry_run && provider !== 'fcm' ? { status: 'sent', reason: 'dry_run' } : undefined

/** Whether a device's tags are those of a segment. */
const fits = ({ all, any, none }: TagRule, tags: readonly string[]): boolean =>
  all.every((tag) => tags.includes(tag)) &&
  !none.some((tag) => tags.includes(tag)) &&
  (any.length === 0 || any.some((tag) => tags.includes(tag)))
