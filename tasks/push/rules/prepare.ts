import type { Db } from '#sql/db.ts'
import type { ClaimedDelivery } from '#sql/push/deliveries.ts'
import type { Push, PushCredential } from '../engine.ts'
import { type AdmittedDelivery, admitDeliveries, type EndedDelivery } from './admit.ts'
import { createPayload } from './payload/payload.ts'
import { isSilent, selectText } from './payload/text.ts'

export interface PreparedPush extends Pick<AdmittedDelivery, 'delivery' | 'message'> {
  token: string
  userId: string | null
  push: Push
}

export async function preparePushes(
  db: Db,
  provider: PushCredential['provider'],
  claimed: readonly ClaimedDelivery[],
  signReceipts: (deliveryIds: readonly string[]) => readonly string[],
): Promise<{ sendable: PreparedPush[]; ended: EndedDelivery[] }> {
  const { admitted, ended } = await admitDeliveries(db, claimed)
  const now = Date.now()
  const receipts = signReceipts(admitted.map(({ delivery }) => delivery.id))
  const sendable = admitted.map((one, at): PreparedPush => {
    const { delivery, message, device } = one
    const push = pushOf(provider, one, now, receipts[at] as string)
    return { delivery, message, token: device.token, userId: device.user_id, push }
  })
  return { sendable, ended }
}

function pushOf(
  provider: PushCredential['provider'],
  { delivery, message, device }: AdmittedDelivery,
  now: number,
  receipt: string,
): Push {
  const locale = device.locale ?? device.user_locale
  const marks = { message_id: message.id, delivery_id: delivery.id, receipt }
  const { content } = message
  return {
    // Same ID for every attempt, so that APNs recognises a repeated push.
    id: delivery.id,
    token: device.token,
    keys: device.keys ?? undefined,
    payload: createPayload(provider, content, locale, marks),
    ttl: Math.max(0, Math.round((message.expires_at.getTime() - now) / 1000)),
    priority: priorityOf(message.priority),
    collapseKey: message.collapse_key ?? undefined,
    background: isSilent(selectText(content, locale)),
    pushType: content.ios?.push_type,
    dryRun: message.dry_run,
  }
}

/** Returns the provider’s priority: 1 to 3 low, 8 to 10 high. */
const priorityOf = (priority: number): Push['priority'] => (priority <= 3 ? 'low' : priority >= 8 ? 'high' : 'normal')
