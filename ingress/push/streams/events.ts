import type { ShownMessage } from '#sql/push/messages.ts'
import { selectText } from '#tasks/push/rules/payload/text.ts'
import { getWebParts } from '#tasks/push/rules/payload/webpush.ts'

/** Data of a message in one language that all of its events share. */
export interface LocalizedMessage {
  /** JSON of the event’s data without the opening brace. */
  json: string
  collapseKey: string | null
}

/** Prepares a message’s text in one language. Call it once for any number of streams. */
export function prepareMessage(message: ShownMessage, locale: string | null): LocalizedMessage {
  const { id, content, priority, collapse_key, send_at } = message
  const text = selectText(content, locale)
  const { title, body, data = {} } = text
  const parts = getWebParts(text, content)
  // A `Date` would disable the fast path of `JSON.stringify` for the whole object, so it is converted before.
  const sent_at = send_at.toISOString()
  const json = JSON.stringify({ message_id: id, title, body, ...parts, data, priority, collapse_key, sent_at })
  return { json: json.slice(1), collapseKey: collapse_key }
}

/** Formats the event `message` of one delivery. IDs and tokens do not need escaping. */
export const formatMessageEvent = (
  { json }: LocalizedMessage,
  deliveryId: string,
  receiptToken: string,
  event: number,
): string =>
  `id: ${event}\nevent: message\ndata: {"delivery_id":"${deliveryId}","receipt_token":"${receiptToken}",${json}\n\n`
