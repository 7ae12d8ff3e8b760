import type { Db } from '#sql/db.ts'
import type { ClaimedDelivery } from '#sql/push/deliveries.ts'
import * as installations from '#sql/push/installations.ts'
import * as messages from '#sql/push/messages.ts'
import type { Push, PushCredential } from '../engine.ts'
import { payloadFor } from './payload/payload.ts'
import { isSilent, textFor } from './payload/text.ts'

/** Seconds by which a first attempt may be late: a message with a `ttl` of 0 is given to its provider once, however short the queue. */
export const lateSeconds = 60

/** A delivery with the push that is made of it. */
export interface PreparedPush {
  delivery: ClaimedDelivery
  message: messages.SendableMessage
  token: string
  push: Push
}

/** A delivery that has ended without an attempt. */
export interface EndedDelivery {
  delivery: ClaimedDelivery
  message?: messages.SendableMessage | undefined
  status: 'sent' | 'failed' | 'expired'
  reason: string
}

/** What is sent of the claimed deliveries, and what is not. */
export async function prepare(
  db: Db,
  provider: PushCredential['provider'],
  claimed: readonly ClaimedDelivery[],
  signReceipts: (deliveryIds: readonly string[]) => readonly string[],
): Promise<{ sendable: PreparedPush[]; ended: EndedDelivery[] }> {
  const [found, devices] = await Promise.all([
    messages.findSendable(
      db,
      claimed.map(({ message_id }) => message_id),
    ),
    installations.findMany(
      db,
      claimed.map(({ installation_id }) => installation_id),
    ),
  ])
  const now = Date.now()
  const sendable: PreparedPush[] = []
  const ended: EndedDelivery[] = []
  const receipts = signReceipts(claimed.map(({ id }) => id))
  for (const [at, delivery] of claimed.entries()) {
    const message = found.get(delivery.message_id)
    const device = devices.get(delivery.installation_id)
    const end = !message
      ? { status: 'failed' as const, reason: 'message_removed' }
      : endOf(delivery, message, device, now)
    if (end) ended.push({ delivery, message, ...end })
    else if (message && device) {
      const push = pushOf(provider, delivery, message, device, now, receipts[at] as string)
      sendable.push({ delivery, message, token: device.token, push })
    }
  }
  return { sendable, ended }
}

/** How a delivery ends that is not to be sent; undefined for one that is. */
function endOf(
  delivery: ClaimedDelivery,
  message: messages.SendableMessage,
  device: installations.Installation | undefined,
  now: number,
): Pick<EndedDelivery, 'status' | 'reason'> | undefined {
  if (!device) return { status: 'failed', reason: 'installation_removed' }
  // Its next owner is not to read what was meant for the last one.
  if (device.push_user_id !== delivery.push_user_id) return { status: 'failed', reason: 'installation_moved' }
  if (device.status === 'invalidated') return { status: 'failed', reason: 'installation_invalidated' }
  const late = delivery.attempts > 0 ? 0 : lateSeconds * 1000
  if (now > message.expires_at.getTime() + late) return { status: 'expired', reason: 'ttl' }
  // Only FCM can check a message without delivering it.
  if (message.dry_run && delivery.provider !== 'fcm') return { status: 'sent', reason: 'dry_run' }
  return undefined
}

function pushOf(
  provider: PushCredential['provider'],
  delivery: ClaimedDelivery,
  message: messages.SendableMessage,
  device: installations.Installation,
  now: number,
  receipt: string,
): Push {
  const locale = device.locale ?? message.locale
  const marks = { message_id: message.id, delivery_id: delivery.id, receipt }
  return {
    // The same for every attempt, by which APNs knows a repeated one.
    id: delivery.id,
    token: device.token,
    keys: device.keys ?? undefined,
    payload: payloadFor(provider, message.content, locale, marks),
    ttl: Math.max(0, Math.round((message.expires_at.getTime() - now) / 1000)),
    priority: priorityOf(message.priority),
    collapseKey: message.collapse_key ?? undefined,
    background: isSilent(textFor(message.content, locale)),
    dryRun: message.dry_run,
  }
}

/** The three levels that providers have: 1 to 3 low, 8 to 10 high. */
const priorityOf = (priority: number): Push['priority'] => (priority <= 3 ? 'low' : priority >= 8 ? 'high' : 'normal')
