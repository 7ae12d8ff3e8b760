import { createAps } from './apns.ts'
import { mergeJson } from './merge.ts'
import type { PayloadParts } from './parts.ts'
import { isSilent } from './text.ts'

/** Returns the FCM message without the token. All values of `data` are strings (HTTP v1). */
export function createFcmPayload({ text, marks, parts, override }: PayloadParts): Record<string, unknown> {
  const { title, body, image } = text
  const notification = {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...(image && { image }),
  }
  const data = {
    ...text.data,
    ...(parts.actions && { push_actions: JSON.stringify(parts.actions) }),
    push_message_id: marks.message_id,
    push_delivery_id: marks.delivery_id,
    push_receipt: marks.receipt,
  }
  const silent = isSilent(text)
  const [android, aps] = [androidOf(parts), createAps(parts)]
  const isAny = (of: object) => Object.keys(of).length > 0
  return mergeJson(
    {
      ...(!silent && { notification }),
      data,
      ...(!silent && isAny(android) && { android: { notification: android } }),
      ...(isAny(aps) && { apns: { payload: { aps } } }),
    },
    override,
  )
}

/** Returns the `AndroidNotification` (HTTP v1). */
function androidOf({ badge, sound, android = {} }: PayloadParts['parts']): Record<string, unknown> {
  const { image, channel_id, icon, color } = android
  const tone = android.sound ?? sound
  return {
    ...(image && { image }),
    ...(tone !== undefined && { sound: tone }),
    ...(badge !== undefined && { notification_count: badge }),
    ...(channel_id !== undefined && { channel_id }),
    ...(icon !== undefined && { icon }),
    ...(color !== undefined && { color }),
  }
}
