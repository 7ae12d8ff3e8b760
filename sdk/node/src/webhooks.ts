import { type KnownEvent, knownEventTypes } from './generated/events.ts'
import { checkSignature, type VerifyOptions, type WebhookHeaders } from './signatures.ts'

/** An event type that this version of the client does not know. */
export interface UnknownEvent {
  type: string
  timestamp: string
  data: Record<string, unknown>
}

/** A webhook event. Use `isKnown` to distinguish known and unknown events. */
export type WebhookEvent = KnownEvent | UnknownEvent

/** True if this version of the client knows the event type. Then `type` determines the type of `data`. */
const isKnown = (event: WebhookEvent): event is KnownEvent => knownEventTypes.has(event.type)

/**
 * Returns the event of a request. Throws unless the request was signed with the secret (`whsec_…`), or with one of
 * several during a rotation (Standard Webhooks 1.0). `payload` must be the unparsed body.
 */
async function verify(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  options: VerifyOptions = {},
): Promise<WebhookEvent> {
  const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload
  await checkSignature(bytes, headers, secret, options)
  return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
}

export const webhooks = { verify, isKnown }
