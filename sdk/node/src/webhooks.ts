import { fromBase64 } from './bytes.ts'
import { MillraceError } from './errors.ts'
import { type KnownEvent, knownEventTypes } from './generated/events.ts'

/** An event that came with a later version of the API than this client's. */
export interface UnknownEvent {
  type: string
  /** When it happened. */
  timestamp: string
  data: Record<string, unknown>
}

/** What a webhook tells of; `isKnown` tells which. */
export type WebhookEvent = KnownEvent | UnknownEvent

/** Whether this version of the client knows the type of an event: then `type` tells what `data` is. */
const isKnown = (event: WebhookEvent): event is KnownEvent => knownEventTypes.has(event.type)

/** The request did not come from who knows the secret, or not lately. */
export class WebhookVerificationError extends MillraceError {
  override name = 'WebhookVerificationError'
}

/** Headers as servers have them: an object of lower-case names, or `Headers`. */
export type WebhookHeaders = Headers | Record<string, string | string[] | undefined>

/** How a webhook is verified. */
export interface VerifyOptions {
  /** How many seconds old a request may be, or ahead of this clock; 300 by default. */
  toleranceSeconds?: number
  /** Now, in milliseconds. */
  now?: number
}

/**
 * The event of a request, if it was signed with a secret (`whsec_…`), or with one of several while they are rotated (Standard
 * Webhooks 1.0). `payload` is the body as it came, before any parsing.
 */
async function verify(
  payload: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, at, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => {
    const value = headerOf(headers, name)
    if (!value) throw new WebhookVerificationError(`The request does not have the header ${name}.`)
    return value
  }) as [string, string, string]
  if (!/^\d{1,12}$/.test(at)) throw new WebhookVerificationError('The header webhook-timestamp is not a valid time.')
  if (Math.abs(now / 1000 - Number(at)) > toleranceSeconds) {
    throw new WebhookVerificationError('The signature of the request is too old or in the future.')
  }
  const bytes = typeof payload === 'string' ? new TextEncoder().encode(payload) : payload
  const head = new TextEncoder().encode(`${id}.${at}.`)
  const signed = new Uint8Array(head.length + bytes.length)
  signed.set(head)
  signed.set(bytes, head.length)
  const given = signatures.split(' ').flatMap((text) => (text.startsWith('v1,') ? [text.slice('v1,'.length)] : []))
  for (const one of typeof secret === 'string' ? [secret] : secret) {
    if (await isSigned(one, signed, given)) return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
  }
  throw new WebhookVerificationError('The request has no signature for this secret.')
}

/** Verifies what webhooks send, and tells what it is. */
export const webhooks = { verify, isKnown }

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (headers instanceof Headers) return headers.get(name) ?? undefined
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? []
  return Array.isArray(value) ? value.join(' ') : value
}

async function isSigned(secret: string, signed: Uint8Array<ArrayBuffer>, given: string[]): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  for (const signature of given) {
    // `verify` takes the same time however much of it is right.
    if (await crypto.subtle.verify('HMAC', key, decoded(signature), signed)) return true
  }
  return false
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decoded(secret.replace(/^whsec_/, ''))
  if (bytes.length === 0) throw new MillraceError('The webhook secret must be whsec_ followed by base64.')
  return bytes
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(text)
  } catch {
    return new Uint8Array(0)
  }
}
