import type { ShownMessage } from '#sql/push/messages.ts'
import { textFor } from '#tasks/push/rules/payload/text.ts'
import { webParts } from '#tasks/push/rules/payload/webpush.ts'

/** What the events of a message in one language have in common, and by what a later one takes its place. */
export interface LocalizedMessage {
  /** The JSON of their data, from behind its first brace. */
  json: string
  collapseKey: string | null
}

/** Prepares what a message says in one language; written once, however many streams it goes to. */
export function sharedPart(message: ShownMessage, locale: string | null): LocalizedMessage {
  const { id, content, priority, collapse_key, send_at } = message
  const text = textFor(content, locale)
  const { title, body, data = {} } = text
  const parts = webParts(text, content)
  // A `Date` would cost the whole object the quick way of `JSON.stringify`.
  const sent_at = send_at.toISOString()
  const json = JSON.stringify({ message_id: id, title, body, ...parts, data, priority, collapse_key, sent_at })
  return { json: json.slice(1), collapseKey: collapse_key }
}

/** The event `message` of one delivery; ids and tokens need no escaping. */
export const messageEvent = (
  { json }: LocalizedMessage,
  deliveryId: string,
  receiptToken: string,
  event: number,
): string =>
  `id: ${event}\nevent: message\ndata: {"delivery_id":"${deliveryId}","receipt_token":"${receiptToken}",${json}\n\n`
