import { merge } from './merge.ts'
import type { PayloadParts } from './parts.ts'
import { isSilent } from './text.ts'

/** The message for FCM without its token; all of `data` are strings (HTTP v1). */
export function fcmPayload({ text, marks, override }: PayloadParts): Record<string, unknown> {
  const { title, body, image } = text
  const notification = {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...(image && { image }),
  }
  const data = {
    ...text.data,
    push_message_id: marks.message_id,
    push_delivery_id: marks.delivery_id,
    push_receipt: marks.receipt,
  }
  return merge({ ...(!isSilent(text) && { notification }), data }, override)
}
